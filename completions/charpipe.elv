
use builtin;
use str;

set edit:completion:arg-completer[charpipe] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'charpipe'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'charpipe'= {
            cand -f 'Input encoding, or auto or detect [default: UTF-8]'
            cand --from 'Input encoding, or auto or detect [default: UTF-8]'
            cand -t 'Output encoding [default: UTF-8]'
            cand --to 'Output encoding [default: UTF-8]'
            cand -o 'Write to FILE atomically (only on success)'
            cand --output 'Write to FILE atomically (only on success)'
            cand --default-encoding 'Encoding to assume if --from auto is inconclusive'
            cand --min-confidence 'Minimum confidence for --from detect'
            cand --bom 'Keep, strip or add a byte order mark'
            cand --on-error 'What to do on conversion errors: stop, skip, replace[=TEXT], xml, … [default: stop]'
            cand --on-invalid 'What to do with invalid input bytes [default: as --on-error]'
            cand --on-unmappable 'What to do with characters not in the output encoding [default: as --on-error]'
            cand --backup 'Back up each file as FILE+SUFFIX [default: ~]'
            cand -j 'Number of files to convert in parallel, 1 to 32 [default: number of CPUs, from 2 to 8]'
            cand --jobs 'Number of files to convert in parallel, 1 to 32 [default: number of CPUs, from 2 to 8]'
            cand --glob 'Include (or with !, exclude) files matching GLOB'
            cand --files-from 'Read file names from FILE, one per line'
            cand -l 'List encodings and their aliases'
            cand --list 'List encodings and their aliases'
            cand --completions 'Print completions for a shell'
            cand -c 'Discard unconvertible input (same as --on-error skip)'
            cand -s 'Suppress conversion error messages'
            cand --silent 'Suppress conversion error messages'
            cand -v 'Report every error (default: first 10 per file); with -i, list every file'
            cand --verbose 'Report every error (default: first 10 per file); with -i, list every file'
            cand -i 'Convert files in place'
            cand --in-place 'Convert files in place'
            cand -n 'Show what would be converted, without writing'
            cand --dry-run 'Show what would be converted, without writing'
            cand --keep-going 'Continue after a failed file (default)'
            cand --fail-fast 'Stop after the first failed file'
            cand -k 'Preserve modification times'
            cand --keep-mtime 'Preserve modification times'
            cand --break-hard-links 'Convert files that have several hard links (breaks the links)'
            cand --force 'Convert files that look binary or already converted'
            cand -r 'Recurse into directories, respecting .gitignore'
            cand --recursive 'Recurse into directories, respecting .gitignore'
            cand --hidden 'Include hidden files'
            cand -0 '--files-from names are NUL-separated'
            cand --null '--files-from names are NUL-separated'
            cand --strict 'Enforce RFC 2047 strictly'
            cand --headers-only 'Convert only message headers; copy the body unchanged'
            cand --man 'Print the manual page'
            cand -h 'Print help (--help prints more)'
            cand --help 'Print help (--help prints more)'
            cand -V 'Print version'
            cand --version 'Print version'
            cand check 'Check that files are valid in an encoding'
            cand detect 'Detect the encoding of files'
            cand list 'List encodings and their aliases'
        }
        &'charpipe;check'= {
            cand -e 'Expected encoding [default: UTF-8]'
            cand --encoding 'Expected encoding [default: UTF-8]'
            cand --bom 'Byte order mark rule [default: any]'
            cand --newline 'Line ending rule [default: any]'
            cand --binary 'How to treat files containing NUL [default: report]'
            cand --glob 'Include (or with !, exclude) files matching GLOB'
            cand --files-from 'Read file names from FILE, one per line'
            cand --format 'Output format [default: text]'
            cand --max-findings 'Report at most N findings per file; the rest are counted'
            cand --headers-only 'Check only message headers (requires RFC2047)'
            cand -r 'Recurse into directories, respecting .gitignore'
            cand --recursive 'Recurse into directories, respecting .gitignore'
            cand --hidden 'Include hidden files'
            cand -0 '--files-from names are NUL-separated'
            cand --null '--files-from names are NUL-separated'
            cand -s 'Print nothing; only set the exit code'
            cand --silent 'Print nothing; only set the exit code'
            cand -h 'Print help (--help prints more)'
            cand --help 'Print help (--help prints more)'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'charpipe;detect'= {
            cand --candidates 'Print up to N candidate encodings per file [default: 1]'
            cand --glob 'Include (or with !, exclude) files matching GLOB'
            cand --files-from 'Read file names from FILE, one per line'
            cand --json 'Print JSON Lines'
            cand -r 'Recurse into directories, respecting .gitignore'
            cand --recursive 'Recurse into directories, respecting .gitignore'
            cand --hidden 'Include hidden files'
            cand -0 '--files-from names are NUL-separated'
            cand --null '--files-from names are NUL-separated'
            cand -h 'Print help (--help prints more)'
            cand --help 'Print help (--help prints more)'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'charpipe;list'= {
            cand --json 'Print JSON'
            cand --tsv 'Print a table with tab-separated columns and a header line'
            cand -h 'Print help (--help prints more)'
            cand --help 'Print help (--help prints more)'
            cand -V 'Print version'
            cand --version 'Print version'
        }
    ]
    $completions[$command]
}


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
            cand -f 'Encoding of the input, or auto [default: UTF-8]'
            cand --from 'Encoding of the input, or auto [default: UTF-8]'
            cand -t 'Encoding of the output [default: UTF-8]'
            cand --to 'Encoding of the output [default: UTF-8]'
            cand -o 'Write to FILE, which is replaced only when all went well'
            cand --output 'Write to FILE, which is replaced only when all went well'
            cand --fallback 'Encoding of an input of which --from auto does not find it out'
            cand --min-confidence 'Least confidence for --from detect: guess, likely or certain'
            cand --on-error 'What to do about faults: stop, skip, replace[=TEXT], xml, …'
            cand --on-invalid 'The same, for bytes that are no character'
            cand --on-unmappable 'The same, for characters that the output encoding lacks'
            cand --bom 'What to do about a byte order mark'
            cand -l 'List the charsets with all their names'
            cand --list 'List the charsets with all their names'
            cand --completions 'Print completions for a shell'
            cand --backup 'Keep the old content of each file by its name with SUFFIX [default: ~]'
            cand -j 'Convert N files at once [default: as many as there are processors, 2 to 8]'
            cand --jobs 'Convert N files at once [default: as many as there are processors, 2 to 8]'
            cand --glob 'In folders take only files that fit GLOB, with !GLOB only those that do not'
            cand --files-from 'Take the names of files from FILE, one a line'
            cand -c 'Leave out what cannot be converted, as --on-error skip'
            cand --strict 'Keep to RFC 2047 to the letter, and find fault with words that do not'
            cand --message 'Convert only the header lines of each message, for RFC2047'
            cand -s 'Do not tell faults; the exit code still does'
            cand --silent 'Do not tell faults; the exit code still does'
            cand -v 'Tell every fault, not only the first ten of a file; with -i tell of every file'
            cand --verbose 'Tell every fault, not only the first ten of a file; with -i tell of every file'
            cand --man 'Print the manual page'
            cand -i 'Convert the FILEs where they stand'
            cand --in-place 'Convert the FILEs where they stand'
            cand -n 'Say what would be converted, and write nothing'
            cand --dry-run 'Say what would be converted, and write nothing'
            cand --keep-going 'After a file that failed go on with the next (the default)'
            cand --fail-fast 'After a file that failed begin no other'
            cand -k 'Keep the time of the last change'
            cand --keep-mtime 'Keep the time of the last change'
            cand --break-hard-links 'Part files from their other hard links, which keep the old content, one after the other'
            cand --force 'Convert files that look binary or already converted'
            cand -r 'Go into folders, but not where .gitignore says so'
            cand --recursive 'Go into folders, but not where .gitignore says so'
            cand --hidden 'In folders take hidden files too'
            cand -0 'The names in the list end with NUL, not with a line feed'
            cand --null 'The names in the list end with NUL, not with a line feed'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand check 'Find all that is wrong with files'
            cand detect 'Find out in which encodings files are'
            cand list 'List the charsets with all their names'
        }
        &'charpipe;check'= {
            cand -e 'Encoding that the files should be in [default: UTF-8]'
            cand --encoding 'Encoding that the files should be in [default: UTF-8]'
            cand --bom 'What to ask of a byte order mark [default: any]'
            cand --newline 'What to ask of line ends [default: any]'
            cand --binary 'What to make of a file that holds NUL [default: report]'
            cand --glob 'In folders take only files that fit GLOB, with !GLOB only those that do not'
            cand --files-from 'Take the names of files from FILE, one a line'
            cand --format 'Form in which findings are told [default: text]'
            cand --max-faults 'Tell at most N findings of each file; the rest are counted'
            cand --message 'Check only the header lines of each message, for RFC2047'
            cand -r 'Go into folders, but not where .gitignore says so'
            cand --recursive 'Go into folders, but not where .gitignore says so'
            cand --hidden 'In folders take hidden files too'
            cand -0 'The names in the list end with NUL, not with a line feed'
            cand --null 'The names in the list end with NUL, not with a line feed'
            cand -s 'Tell no findings; the exit code still does'
            cand --silent 'Tell no findings; the exit code still does'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'charpipe;detect'= {
            cand --candidates 'Tell up to N encodings of each file, the best first [default: 1]'
            cand --glob 'In folders take only files that fit GLOB, with !GLOB only those that do not'
            cand --files-from 'Take the names of files from FILE, one a line'
            cand --json 'One object a line, in JSON'
            cand -r 'Go into folders, but not where .gitignore says so'
            cand --recursive 'Go into folders, but not where .gitignore says so'
            cand --hidden 'In folders take hidden files too'
            cand -0 'The names in the list end with NUL, not with a line feed'
            cand --null 'The names in the list end with NUL, not with a line feed'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'charpipe;list'= {
            cand --json 'An array of objects: name, about, kind, mime, windows, decode, encode, aliases and who uses them'
            cand --tsv 'The same as a table, with tabs between the columns and their names in the first line'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
    ]
    $completions[$command]
}

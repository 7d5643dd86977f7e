# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_charpipe_global_optspecs
    string join \n f/from= t/to= o/output= default-encoding= min-confidence= bom= c on-error= on-invalid= on-unmappable= s/silent v/verbose i/in-place backup= n/dry-run keep-going fail-fast k/keep-mtime j/jobs= break-hard-links force r/recursive glob= hidden files-from= 0/null strict headers-only l/list= completions= man h/help V/version
end

function __fish_charpipe_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_charpipe_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_charpipe_using_subcommand
    set -l cmd (__fish_charpipe_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c charpipe -n "__fish_charpipe_needs_command" -s f -l from -d 'Input encoding, or auto or detect [default: UTF-8]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -s t -l to -d 'Output encoding [default: UTF-8]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -s o -l output -d 'Write to FILE atomically (only on success)' -r -F
complete -c charpipe -n "__fish_charpipe_needs_command" -l default-encoding -d 'Encoding to assume if --from auto is inconclusive' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l min-confidence -d 'Minimum confidence for --from detect' -r -f -a "guess\t''
likely\t''
certain\t''"
complete -c charpipe -n "__fish_charpipe_needs_command" -l bom -d 'Keep, strip or add a byte order mark' -r -f -a "keep\t''
strip\t''
add\t''"
complete -c charpipe -n "__fish_charpipe_needs_command" -l on-error -d 'What to do on conversion errors: stop, skip, replace[=TEXT], xml, … [default: stop]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l on-invalid -d 'What to do with invalid input bytes [default: as --on-error]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l on-unmappable -d 'What to do with characters not in the output encoding [default: as --on-error]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l backup -d 'Back up each file as FILE+SUFFIX [default: ~]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -s j -l jobs -d 'Number of files to convert in parallel, 1 to 32 [default: number of CPUs, from 2 to 8]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l glob -d 'Include (or with !, exclude) files matching GLOB' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l files-from -d 'Read file names from FILE, one per line' -r -F
complete -c charpipe -n "__fish_charpipe_needs_command" -s l -l list -d 'List encodings and their aliases' -r -f -a "plain\t'One encoding per line: its name and aliases, separated by spaces'
iconv\t'As glibc\'s iconv -l: one name per line, followed by slashes'
json\t'A JSON array of objects: name, description, category, mime, windows_code_page, decode, encode, and aliases with their sources'
tsv\t'A table with tab-separated columns and a header line'"
complete -c charpipe -n "__fish_charpipe_needs_command" -l completions -d 'Print completions for a shell' -r -f -a "bash\t''
elvish\t''
fish\t''
powershell\t''
zsh\t''"
complete -c charpipe -n "__fish_charpipe_needs_command" -s c -d 'Discard unconvertible input (same as --on-error skip)'
complete -c charpipe -n "__fish_charpipe_needs_command" -s s -l silent -d 'Suppress conversion error messages'
complete -c charpipe -n "__fish_charpipe_needs_command" -s v -l verbose -d 'Report every error (default: first 10 per file); with -i, list every file'
complete -c charpipe -n "__fish_charpipe_needs_command" -s i -l in-place -d 'Convert files in place'
complete -c charpipe -n "__fish_charpipe_needs_command" -s n -l dry-run -d 'Show what would be converted, without writing'
complete -c charpipe -n "__fish_charpipe_needs_command" -l keep-going -d 'Continue after a failed file (default)'
complete -c charpipe -n "__fish_charpipe_needs_command" -l fail-fast -d 'Stop after the first failed file'
complete -c charpipe -n "__fish_charpipe_needs_command" -s k -l keep-mtime -d 'Preserve modification times'
complete -c charpipe -n "__fish_charpipe_needs_command" -l break-hard-links -d 'Convert files that have several hard links (breaks the links)'
complete -c charpipe -n "__fish_charpipe_needs_command" -l force -d 'Convert files that look binary or already converted'
complete -c charpipe -n "__fish_charpipe_needs_command" -s r -l recursive -d 'Recurse into directories, respecting .gitignore'
complete -c charpipe -n "__fish_charpipe_needs_command" -l hidden -d 'Include hidden files'
complete -c charpipe -n "__fish_charpipe_needs_command" -s 0 -l null -d '--files-from names are NUL-separated'
complete -c charpipe -n "__fish_charpipe_needs_command" -l strict -d 'Enforce RFC 2047 strictly'
complete -c charpipe -n "__fish_charpipe_needs_command" -l headers-only -d 'Convert only message headers; copy the body unchanged'
complete -c charpipe -n "__fish_charpipe_needs_command" -l man -d 'Print the manual page'
complete -c charpipe -n "__fish_charpipe_needs_command" -s h -l help -d 'Print help (--help prints more)'
complete -c charpipe -n "__fish_charpipe_needs_command" -s V -l version -d 'Print version'
complete -c charpipe -n "__fish_charpipe_needs_command" -a "check" -d 'Check that files are valid in an encoding'
complete -c charpipe -n "__fish_charpipe_needs_command" -a "detect" -d 'Detect the encoding of files'
complete -c charpipe -n "__fish_charpipe_needs_command" -a "list" -d 'List encodings and their aliases'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s e -l encoding -d 'Expected encoding [default: UTF-8]' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l bom -d 'Byte order mark rule [default: any]' -r -f -a "any\t''
forbid\t''
require\t''"
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l newline -d 'Line ending rule [default: any]' -r -f -a "any\t''
lf\t''
crlf\t''
same\t''"
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l binary -d 'How to treat files containing NUL [default: report]' -r -f -a "report\t''
skip\t''
text\t''"
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l glob -d 'Include (or with !, exclude) files matching GLOB' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l files-from -d 'Read file names from FILE, one per line' -r -F
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l format -d 'Output format [default: text]' -r -f -a "text\t''
gcc\t''
json\t''
jsonl\t''
github\t''
gitlab\t''
sarif\t''
junit\t''"
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l max-findings -d 'Report at most N findings per file; the rest are counted' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l headers-only -d 'Check only message headers (requires RFC2047)'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s r -l recursive -d 'Recurse into directories, respecting .gitignore'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l hidden -d 'Include hidden files'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s 0 -l null -d '--files-from names are NUL-separated'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s s -l silent -d 'Print nothing; only set the exit code'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s h -l help -d 'Print help (--help prints more)'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s V -l version -d 'Print version'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l candidates -d 'Print up to N candidate encodings per file [default: 1]' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l glob -d 'Include (or with !, exclude) files matching GLOB' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l files-from -d 'Read file names from FILE, one per line' -r -F
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l json -d 'Print JSON Lines'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -s r -l recursive -d 'Recurse into directories, respecting .gitignore'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l hidden -d 'Include hidden files'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -s 0 -l null -d '--files-from names are NUL-separated'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -s h -l help -d 'Print help (--help prints more)'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -s V -l version -d 'Print version'
complete -c charpipe -n "__fish_charpipe_using_subcommand list" -l json -d 'Print JSON'
complete -c charpipe -n "__fish_charpipe_using_subcommand list" -l tsv -d 'Print a table with tab-separated columns and a header line'
complete -c charpipe -n "__fish_charpipe_using_subcommand list" -s h -l help -d 'Print help (--help prints more)'
complete -c charpipe -n "__fish_charpipe_using_subcommand list" -s V -l version -d 'Print version'

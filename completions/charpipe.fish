# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_charpipe_global_optspecs
    string join \n f/from= t/to= o/output= fallback= min-confidence= c on-error= on-invalid= on-unmappable= strict message bom= s/silent v/verbose l/list= completions= man i/in-place backup= n/dry-run keep-going fail-fast k/keep-mtime j/jobs= break-hard-links force r/recursive glob= hidden files-from= 0/null h/help V/version
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

complete -c charpipe -n "__fish_charpipe_needs_command" -s f -l from -d 'Encoding of the input, or auto [default: UTF-8]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -s t -l to -d 'Encoding of the output [default: UTF-8]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -s o -l output -d 'Write to FILE, which is replaced only when all went well' -r -F
complete -c charpipe -n "__fish_charpipe_needs_command" -l fallback -d 'Encoding of an input of which --from auto does not find it out' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l min-confidence -d 'Least confidence for --from detect: guess, likely or certain' -r -f -a "guess\t''
likely\t''
certain\t''"
complete -c charpipe -n "__fish_charpipe_needs_command" -l on-error -d 'What to do about faults: stop, skip, replace[=TEXT], xml, …' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l on-invalid -d 'The same, for bytes that are no character' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l on-unmappable -d 'The same, for characters that the output encoding lacks' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l bom -d 'What to do about a byte order mark' -r -f -a "keep\t''
strip\t''
add\t''"
complete -c charpipe -n "__fish_charpipe_needs_command" -s l -l list -d 'List the charsets with all their names' -r -f -a "plain\t'One charset a line: its own name, then the others, between blanks'
iconv\t'As iconv -l of the GNU C library prints it: one name a line, with slashes behind'
json\t'An array of objects: name, about, kind, mime (the name for it), windows (the number of the code page), decode, encode, and aliases with who uses each'
tsv\t'The same as a table: a head, then one charset a line, with tabs between'"
complete -c charpipe -n "__fish_charpipe_needs_command" -l completions -d 'Print completions for a shell' -r -f -a "bash\t''
elvish\t''
fish\t''
powershell\t''
zsh\t''"
complete -c charpipe -n "__fish_charpipe_needs_command" -l backup -d 'Keep the old content of each file by its name with SUFFIX [default: ~]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -s j -l jobs -d 'Convert N files at once [default: as many as there are processors, 2 to 8]' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l glob -d 'In folders take only files that fit GLOB, with !GLOB only those that do not' -r
complete -c charpipe -n "__fish_charpipe_needs_command" -l files-from -d 'Take the names of files from FILE, one a line' -r -F
complete -c charpipe -n "__fish_charpipe_needs_command" -s c -d 'Leave out what cannot be converted, as --on-error skip'
complete -c charpipe -n "__fish_charpipe_needs_command" -l strict -d 'Keep to RFC 2047 to the letter, and find fault with words that do not'
complete -c charpipe -n "__fish_charpipe_needs_command" -l message -d 'Convert only the header lines of each message, for RFC2047'
complete -c charpipe -n "__fish_charpipe_needs_command" -s s -l silent -d 'Do not tell faults; the exit code still does'
complete -c charpipe -n "__fish_charpipe_needs_command" -s v -l verbose -d 'Tell every fault, not only the first ten of a file; with -i tell of every file'
complete -c charpipe -n "__fish_charpipe_needs_command" -l man -d 'Print the manual page'
complete -c charpipe -n "__fish_charpipe_needs_command" -s i -l in-place -d 'Convert the FILEs where they stand'
complete -c charpipe -n "__fish_charpipe_needs_command" -s n -l dry-run -d 'Say what would be converted, and write nothing'
complete -c charpipe -n "__fish_charpipe_needs_command" -l keep-going -d 'After a file that failed go on with the next (the default)'
complete -c charpipe -n "__fish_charpipe_needs_command" -l fail-fast -d 'After a file that failed begin no other'
complete -c charpipe -n "__fish_charpipe_needs_command" -s k -l keep-mtime -d 'Keep the time of the last change'
complete -c charpipe -n "__fish_charpipe_needs_command" -l break-hard-links -d 'Part files from their other hard links, which keep the old content, one after the other'
complete -c charpipe -n "__fish_charpipe_needs_command" -l force -d 'Convert files that look binary or already converted'
complete -c charpipe -n "__fish_charpipe_needs_command" -s r -l recursive -d 'Go into folders, but not where .gitignore says so'
complete -c charpipe -n "__fish_charpipe_needs_command" -l hidden -d 'In folders take hidden files too'
complete -c charpipe -n "__fish_charpipe_needs_command" -s 0 -l null -d 'The names in the list end with NUL, not with a line feed'
complete -c charpipe -n "__fish_charpipe_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c charpipe -n "__fish_charpipe_needs_command" -s V -l version -d 'Print version'
complete -c charpipe -n "__fish_charpipe_needs_command" -a "check" -d 'Find all that is wrong with files'
complete -c charpipe -n "__fish_charpipe_needs_command" -a "detect" -d 'Find out in which encodings files are'
complete -c charpipe -n "__fish_charpipe_needs_command" -a "list" -d 'List the charsets with all their names'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s e -l encoding -d 'Encoding that the files should be in [default: UTF-8]' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l bom -d 'What to ask of a byte order mark [default: any]' -r -f -a "any\t''
forbid\t''
require\t''"
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l newline -d 'What to ask of line ends [default: any]' -r -f -a "any\t''
lf\t''
crlf\t''
same\t''"
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l binary -d 'What to make of a file that holds NUL [default: report]' -r -f -a "report\t''
skip\t''
text\t''"
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l glob -d 'In folders take only files that fit GLOB, with !GLOB only those that do not' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l files-from -d 'Take the names of files from FILE, one a line' -r -F
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l format -d 'Form in which findings are told [default: text]' -r -f -a "text\t''
gcc\t''
json\t''
jsonl\t''
github\t''
gitlab\t''
sarif\t''
junit\t''"
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l max-faults -d 'Tell at most N findings of each file; the rest are counted' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l message -d 'Check only the header lines of each message, for RFC2047'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s r -l recursive -d 'Go into folders, but not where .gitignore says so'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -l hidden -d 'In folders take hidden files too'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s 0 -l null -d 'The names in the list end with NUL, not with a line feed'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s s -l silent -d 'Tell no findings; the exit code still does'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c charpipe -n "__fish_charpipe_using_subcommand check" -s V -l version -d 'Print version'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l candidates -d 'Tell up to N encodings of each file, the best first [default: 1]' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l glob -d 'In folders take only files that fit GLOB, with !GLOB only those that do not' -r
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l files-from -d 'Take the names of files from FILE, one a line' -r -F
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l json -d 'One object a line, in JSON'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -s r -l recursive -d 'Go into folders, but not where .gitignore says so'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -l hidden -d 'In folders take hidden files too'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -s 0 -l null -d 'The names in the list end with NUL, not with a line feed'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c charpipe -n "__fish_charpipe_using_subcommand detect" -s V -l version -d 'Print version'
complete -c charpipe -n "__fish_charpipe_using_subcommand list" -l json -d 'An array of objects: name, about, kind, mime, windows, decode, encode, aliases and who uses them'
complete -c charpipe -n "__fish_charpipe_using_subcommand list" -l tsv -d 'The same as a table, with tabs between the columns and their names in the first line'
complete -c charpipe -n "__fish_charpipe_using_subcommand list" -s h -l help -d 'Print help'
complete -c charpipe -n "__fish_charpipe_using_subcommand list" -s V -l version -d 'Print version'

complete -c charpipe -s f -l from -d 'Encoding of the input [default: UTF-8]' -r
complete -c charpipe -s t -l to -d 'Encoding of the output [default: UTF-8]' -r
complete -c charpipe -s o -l output -d 'Write to FILE, which is replaced only when all went well' -r -F
complete -c charpipe -l fallback -d 'Where --from auto does not find out: CHARSET' -r
complete -c charpipe -l on-error -d 'What to do about faults: stop, skip, replace[=TEXT], xml, …' -r
complete -c charpipe -l on-invalid -d 'The same, for bytes that are no character' -r
complete -c charpipe -l on-unmappable -d 'The same, for characters that the output encoding lacks' -r
complete -c charpipe -l bom -d 'What to do about a byte order mark' -r -f -a "keep\t''
strip\t''
add\t''"
complete -c charpipe -s l -l list -d 'List the charsets with all their names' -r -f -a "plain\t'One charset a line: its own name, then the others, between blanks'
iconv\t'As iconv -l of the GNU C library prints it: one name a line, with slashes behind'
json\t'An array of objects: name, about, kind, mime (the name for it), windows (the number of the code page), decode, encode, and aliases with who uses each'"
complete -c charpipe -l completions -d 'Print completions for a shell' -r -f -a "bash\t''
elvish\t''
fish\t''
powershell\t''
zsh\t''"
complete -c charpipe -l backup -d 'Keep the old content of each file by its name with SUFFIX [default: ~]' -r
complete -c charpipe -s j -l jobs -d 'Convert N files at once [default: as many as there are processors, 2 to 8]' -r
complete -c charpipe -l glob -d 'In folders take only files that fit GLOB, with !GLOB only those that do not' -r
complete -c charpipe -l files-from -d 'Take the names of files from FILE, one a line' -r -F
complete -c charpipe -s c -d 'Leave out what cannot be converted, as --on-error skip'
complete -c charpipe -l strict -d 'Keep to RFC 2047 to the letter, and find fault with words that do not'
complete -c charpipe -l message -d 'Convert only the header lines of each message, for RFC2047'
complete -c charpipe -s s -l silent -d 'Do not tell faults; the exit code still does'
complete -c charpipe -s v -l verbose -d 'Tell every fault, not only the first ten of a file'
complete -c charpipe -l man -d 'Print the manual page'
complete -c charpipe -s i -l in-place -d 'Convert the FILEs where they stand'
complete -c charpipe -s n -l dry-run -d 'Say what would be converted, and write nothing'
complete -c charpipe -l keep-going -d 'After a file that failed go on with the next (the default)'
complete -c charpipe -l fail-fast -d 'After a file that failed begin no other'
complete -c charpipe -s k -l keep-mtime -d 'Keep the time of the last change'
complete -c charpipe -l break-hard-links -d 'Part files from their other hard links, which keep the old content, one after the other'
complete -c charpipe -l force -d 'Convert also what seems to be converted already or no text'
complete -c charpipe -s r -l recursive -d 'Go into folders, but not where .gitignore says so'
complete -c charpipe -l hidden -d 'In folders take hidden files too'
complete -c charpipe -s 0 -l null -d 'The names in the list end with NUL, not with a line feed'
complete -c charpipe -s h -l help -d 'Print help (see more with \'--help\')'
complete -c charpipe -s V -l version -d 'Print version'

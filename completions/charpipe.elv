
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
            cand -f 'Encoding of the input [default: UTF-8]'
            cand --from 'Encoding of the input [default: UTF-8]'
            cand -t 'Encoding of the output [default: UTF-8]'
            cand --to 'Encoding of the output [default: UTF-8]'
            cand -o 'Write to FILE, which is replaced only when all went well'
            cand --output 'Write to FILE, which is replaced only when all went well'
            cand --on-error 'What to do about faults: stop, skip, replace[=TEXT], xml, …'
            cand --on-invalid 'The same, for bytes that are no character'
            cand --on-unmappable 'The same, for characters that the output encoding lacks'
            cand --bom 'What to do about a byte order mark'
            cand -l 'List the charsets with all their names'
            cand --list 'List the charsets with all their names'
            cand --completions 'Print completions for a shell'
            cand -c 'Leave out what cannot be converted, as --on-error skip'
            cand --strict 'Keep to RFC 2047 to the letter, and find fault with words that do not'
            cand --message 'Convert only the header lines of each message, for RFC2047'
            cand -s 'Do not tell faults; the exit code still does'
            cand --silent 'Do not tell faults; the exit code still does'
            cand -v 'Tell every fault, not only the first ten of a file'
            cand --verbose 'Tell every fault, not only the first ten of a file'
            cand --man 'Print the manual page'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
    ]
    $completions[$command]
}


using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'charpipe' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'charpipe'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'charpipe' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Encoding of the input, or auto [default: UTF-8]')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Encoding of the input, or auto [default: UTF-8]')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Encoding of the output [default: UTF-8]')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Encoding of the output [default: UTF-8]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which is replaced only when all went well')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which is replaced only when all went well')
            [CompletionResult]::new('--fallback', '--fallback', [CompletionResultType]::ParameterName, 'Encoding of an input of which --from auto does not find it out')
            [CompletionResult]::new('--min-confidence', '--min-confidence', [CompletionResultType]::ParameterName, 'Least confidence for --from detect: guess, likely or certain')
            [CompletionResult]::new('--on-error', '--on-error', [CompletionResultType]::ParameterName, 'What to do about faults: stop, skip, replace[=TEXT], xml, …')
            [CompletionResult]::new('--on-invalid', '--on-invalid', [CompletionResultType]::ParameterName, 'The same, for bytes that are no character')
            [CompletionResult]::new('--on-unmappable', '--on-unmappable', [CompletionResultType]::ParameterName, 'The same, for characters that the output encoding lacks')
            [CompletionResult]::new('--bom', '--bom', [CompletionResultType]::ParameterName, 'What to do about a byte order mark')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'List the charsets with all their names')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the charsets with all their names')
            [CompletionResult]::new('--completions', '--completions', [CompletionResultType]::ParameterName, 'Print completions for a shell')
            [CompletionResult]::new('--backup', '--backup', [CompletionResultType]::ParameterName, 'Keep the old content of each file by its name with SUFFIX [default: ~]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Convert N files at once [default: as many as there are processors, 2 to 8]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Convert N files at once [default: as many as there are processors, 2 to 8]')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'In folders take only files that fit GLOB, with !GLOB only those that do not')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Take the names of files from FILE, one a line')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Leave out what cannot be converted, as --on-error skip')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Keep to RFC 2047 to the letter, and find fault with words that do not')
            [CompletionResult]::new('--message', '--message', [CompletionResultType]::ParameterName, 'Convert only the header lines of each message, for RFC2047')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Do not tell faults; the exit code still does')
            [CompletionResult]::new('--silent', '--silent', [CompletionResultType]::ParameterName, 'Do not tell faults; the exit code still does')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Tell every fault, not only the first ten of a file; with -i tell of every file')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Tell every fault, not only the first ten of a file; with -i tell of every file')
            [CompletionResult]::new('--man', '--man', [CompletionResultType]::ParameterName, 'Print the manual page')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Convert the FILEs where they stand')
            [CompletionResult]::new('--in-place', '--in-place', [CompletionResultType]::ParameterName, 'Convert the FILEs where they stand')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Say what would be converted, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be converted, and write nothing')
            [CompletionResult]::new('--keep-going', '--keep-going', [CompletionResultType]::ParameterName, 'After a file that failed go on with the next (the default)')
            [CompletionResult]::new('--fail-fast', '--fail-fast', [CompletionResultType]::ParameterName, 'After a file that failed begin no other')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'Keep the time of the last change')
            [CompletionResult]::new('--keep-mtime', '--keep-mtime', [CompletionResultType]::ParameterName, 'Keep the time of the last change')
            [CompletionResult]::new('--break-hard-links', '--break-hard-links', [CompletionResultType]::ParameterName, 'Part files from their other hard links, which keep the old content, one after the other')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Convert files that look binary or already converted')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Go into folders, but not where .gitignore says so')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Go into folders, but not where .gitignore says so')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'In folders take hidden files too')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'The names in the list end with NUL, not with a line feed')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'The names in the list end with NUL, not with a line feed')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Find all that is wrong with files')
            [CompletionResult]::new('detect', 'detect', [CompletionResultType]::ParameterValue, 'Find out in which encodings files are')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the charsets with all their names')
            break
        }
        'charpipe;check' {
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Encoding that the files should be in [default: UTF-8]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Encoding that the files should be in [default: UTF-8]')
            [CompletionResult]::new('--bom', '--bom', [CompletionResultType]::ParameterName, 'What to ask of a byte order mark [default: any]')
            [CompletionResult]::new('--newline', '--newline', [CompletionResultType]::ParameterName, 'What to ask of line ends [default: any]')
            [CompletionResult]::new('--binary', '--binary', [CompletionResultType]::ParameterName, 'What to make of a file that holds NUL [default: report]')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'In folders take only files that fit GLOB, with !GLOB only those that do not')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Take the names of files from FILE, one a line')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form in which findings are told [default: text]')
            [CompletionResult]::new('--max-faults', '--max-faults', [CompletionResultType]::ParameterName, 'Tell at most N findings of each file; the rest are counted')
            [CompletionResult]::new('--message', '--message', [CompletionResultType]::ParameterName, 'Check only the header lines of each message, for RFC2047')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Go into folders, but not where .gitignore says so')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Go into folders, but not where .gitignore says so')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'In folders take hidden files too')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'The names in the list end with NUL, not with a line feed')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'The names in the list end with NUL, not with a line feed')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Tell no findings; the exit code still does')
            [CompletionResult]::new('--silent', '--silent', [CompletionResultType]::ParameterName, 'Tell no findings; the exit code still does')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'charpipe;detect' {
            [CompletionResult]::new('--candidates', '--candidates', [CompletionResultType]::ParameterName, 'Tell up to N encodings of each file, the best first [default: 1]')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'In folders take only files that fit GLOB, with !GLOB only those that do not')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Take the names of files from FILE, one a line')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'One object a line, in JSON')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Go into folders, but not where .gitignore says so')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Go into folders, but not where .gitignore says so')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'In folders take hidden files too')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'The names in the list end with NUL, not with a line feed')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'The names in the list end with NUL, not with a line feed')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'charpipe;list' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'An array of objects: name, about, kind, mime, windows, decode, encode, aliases and who uses them')
            [CompletionResult]::new('--tsv', '--tsv', [CompletionResultType]::ParameterName, 'The same as a table, with tabs between the columns and their names in the first line')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}

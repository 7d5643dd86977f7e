
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
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Input encoding, or auto or detect [default: UTF-8]')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Input encoding, or auto or detect [default: UTF-8]')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Output encoding [default: UTF-8]')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Output encoding [default: UTF-8]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE atomically (only on success)')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE atomically (only on success)')
            [CompletionResult]::new('--default-encoding', '--default-encoding', [CompletionResultType]::ParameterName, 'Encoding to assume if --from auto is inconclusive')
            [CompletionResult]::new('--min-confidence', '--min-confidence', [CompletionResultType]::ParameterName, 'Minimum confidence for --from detect')
            [CompletionResult]::new('--bom', '--bom', [CompletionResultType]::ParameterName, 'Keep, strip or add a byte order mark')
            [CompletionResult]::new('--on-error', '--on-error', [CompletionResultType]::ParameterName, 'What to do on conversion errors: stop, skip, replace[=TEXT], xml, … [default: stop]')
            [CompletionResult]::new('--on-invalid', '--on-invalid', [CompletionResultType]::ParameterName, 'What to do with invalid input bytes [default: as --on-error]')
            [CompletionResult]::new('--on-unmappable', '--on-unmappable', [CompletionResultType]::ParameterName, 'What to do with characters not in the output encoding [default: as --on-error]')
            [CompletionResult]::new('--backup', '--backup', [CompletionResultType]::ParameterName, 'Back up each file as FILE+SUFFIX [default: ~]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of files to convert in parallel, 1 to 32 [default: number of CPUs, from 2 to 8]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Number of files to convert in parallel, 1 to 32 [default: number of CPUs, from 2 to 8]')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'Include (or with !, exclude) files matching GLOB')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read file names from FILE, one per line')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'List encodings and their aliases')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List encodings and their aliases')
            [CompletionResult]::new('--completions', '--completions', [CompletionResultType]::ParameterName, 'Print completions for a shell')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Discard unconvertible input (same as --on-error skip)')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Suppress conversion error messages')
            [CompletionResult]::new('--silent', '--silent', [CompletionResultType]::ParameterName, 'Suppress conversion error messages')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Report every error (default: first 10 per file); with -i, list every file')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Report every error (default: first 10 per file); with -i, list every file')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Convert files in place')
            [CompletionResult]::new('--in-place', '--in-place', [CompletionResultType]::ParameterName, 'Convert files in place')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would be converted, without writing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be converted, without writing')
            [CompletionResult]::new('--keep-going', '--keep-going', [CompletionResultType]::ParameterName, 'Continue after a failed file (default)')
            [CompletionResult]::new('--fail-fast', '--fail-fast', [CompletionResultType]::ParameterName, 'Stop after the first failed file')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'Preserve modification times')
            [CompletionResult]::new('--keep-mtime', '--keep-mtime', [CompletionResultType]::ParameterName, 'Preserve modification times')
            [CompletionResult]::new('--break-hard-links', '--break-hard-links', [CompletionResultType]::ParameterName, 'Convert files that have several hard links (breaks the links)')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Convert files that look binary or already converted')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Recurse into directories, respecting .gitignore')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Recurse into directories, respecting .gitignore')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'Include hidden files')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, '--files-from names are NUL-separated')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, '--files-from names are NUL-separated')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Enforce RFC 2047 strictly')
            [CompletionResult]::new('--headers-only', '--headers-only', [CompletionResultType]::ParameterName, 'Convert only message headers; copy the body unchanged')
            [CompletionResult]::new('--man', '--man', [CompletionResultType]::ParameterName, 'Print the manual page')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (--help prints more)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (--help prints more)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check that files are valid in an encoding')
            [CompletionResult]::new('detect', 'detect', [CompletionResultType]::ParameterValue, 'Detect the encoding of files')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List encodings and their aliases')
            break
        }
        'charpipe;check' {
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Expected encoding [default: UTF-8]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Expected encoding [default: UTF-8]')
            [CompletionResult]::new('--bom', '--bom', [CompletionResultType]::ParameterName, 'Byte order mark rule [default: any]')
            [CompletionResult]::new('--newline', '--newline', [CompletionResultType]::ParameterName, 'Line ending rule [default: any]')
            [CompletionResult]::new('--binary', '--binary', [CompletionResultType]::ParameterName, 'How to treat files containing NUL [default: report]')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'Include (or with !, exclude) files matching GLOB')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read file names from FILE, one per line')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: text]')
            [CompletionResult]::new('--max-findings', '--max-findings', [CompletionResultType]::ParameterName, 'Report at most N findings per file; the rest are counted')
            [CompletionResult]::new('--headers-only', '--headers-only', [CompletionResultType]::ParameterName, 'Check only message headers (requires RFC2047)')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Recurse into directories, respecting .gitignore')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Recurse into directories, respecting .gitignore')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'Include hidden files')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, '--files-from names are NUL-separated')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, '--files-from names are NUL-separated')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Print nothing; only set the exit code')
            [CompletionResult]::new('--silent', '--silent', [CompletionResultType]::ParameterName, 'Print nothing; only set the exit code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (--help prints more)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (--help prints more)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'charpipe;detect' {
            [CompletionResult]::new('--candidates', '--candidates', [CompletionResultType]::ParameterName, 'Print up to N candidate encodings per file [default: 1]')
            [CompletionResult]::new('--glob', '--glob', [CompletionResultType]::ParameterName, 'Include (or with !, exclude) files matching GLOB')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read file names from FILE, one per line')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON Lines')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Recurse into directories, respecting .gitignore')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Recurse into directories, respecting .gitignore')
            [CompletionResult]::new('--hidden', '--hidden', [CompletionResultType]::ParameterName, 'Include hidden files')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, '--files-from names are NUL-separated')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, '--files-from names are NUL-separated')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (--help prints more)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (--help prints more)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'charpipe;list' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('--tsv', '--tsv', [CompletionResultType]::ParameterName, 'Print a table with tab-separated columns and a header line')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (--help prints more)')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (--help prints more)')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}

# Completions of charpipe for PowerShell. charpipe itself lists the candidates: see --complete in
# src/cli/completions.rs.

Register-ArgumentCompleter -Native -CommandName charpipe -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = $commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition }
    $words = @($before | ForEach-Object { $_.Extent.Text })
    $program = $commandAst.GetCommandName()
    $arguments = @("--complete=$wordToComplete") + @($words | Select-Object -Skip 1)
    $lines = @(& $program @arguments 2>$null)
    if ($lines.Count -eq 0) { return }
    # Without any result PowerShell completes file names.
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $value, $description = $_ -split "`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
    if ($lines[0] -eq 'files' -and $lines.Count -gt 1) {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    }
}

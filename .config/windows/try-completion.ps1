# try-completion.ps1 <folio-completion.ps1>: whether PowerShell completes as that script says.
param([string]$script)
. (Resolve-Path $script)
$wanted = @{
    'folio iss' = 'issued'
    'folio issued --sort-o' = '--sort-order'
    'folio issued --format js' = 'json jsonl'
    'folio issued --format=js' = '--format=json --format=jsonl'
    'folio --profile funds iss' = 'issued'
    'folio completion p' = 'powershell'
}
foreach ($line in $wanted.Keys) {
    $offered = @((TabExpansion2 $line $line.Length).CompletionMatches.CompletionText | Sort-Object) -join ' '
    if ($offered -cne $wanted[$line]) { throw "${line}: $offered instead of $($wanted[$line])" }
}

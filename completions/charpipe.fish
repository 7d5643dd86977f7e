# Completions of charpipe for fish. charpipe itself lists the candidates: see --complete in
# src/cli/completions.rs.

function __charpipe_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] --complete=$current $words[2..] 2>/dev/null)
    set -q lines[2]; and printf '%s\n' $lines[2..]
    if test "$lines[1]" = files
        set -l option (string match -r '^--[^=]+=' -- $current)
        set -l file (string replace -r '^--[^=]+=' '' -- $current)
        set -l paths (__fish_complete_path $file)
        set -q paths[1]; and printf "$option%s\n" $paths
    end
end

complete -c charpipe -f -a '(__charpipe_complete)'

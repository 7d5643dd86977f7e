# Completions of charpipe for Nushell 0.108 or later. charpipe itself lists the candidates: see
# --complete in src/cli/completions.rs.

def "nu-complete charpipe" [words: list<string>] {
    let current = $words | last
    let lines = ^$words.0 $"--complete=($current)" ...($words | skip 1 | drop 1) | lines
    let candidates = $lines | skip 1 | each {|line|
        let parts = $line | split row "\t"
        { value: $parts.0, description: ($parts | get -o 1 | default "") }
    }
    let takes_files = ($lines | get -o 0) == "files"
    if $takes_files and ($candidates | is-empty) {
        # Nushell completes file names.
        null
    } else if $takes_files {
        $candidates ++ (try { ls ($"($current)*" | into glob) | each {|file| { value: $file.name } } } catch { [] })
    } else {
        $candidates
    }
}

@complete "nu-complete charpipe"
export extern charpipe []

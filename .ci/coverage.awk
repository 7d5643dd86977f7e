# Prints how many lines of each package tests have run. Lines of tests do not count,
# and those of a `const fn` only if it runs outside of the compiler.
#
#   awk -f .ci/coverage.awk -v uncovered=FILE SOURCE... REPORT.lcov
#
# SOURCE are paths in the repository. FILE receives the lines that no test has run, the longest parts first.

# Marks what follows `#[cfg(test)]` in a source: an item or a module in a file of its own.
FILENAME ~ /\.rs$/ {
    if (FNR == 1) attribute = item = constant = 0
    if (/^ *(pub(\([^)]*\))? )?const fn /) {
        constant = 1
        constant_end = $0
        sub(/[^ ].*/, "}", constant_end)
    }
    if (constant) {
        constant_lines[FILENAME, FNR]
        constant = $0 != constant_end
    }
    if (item) {
        test_lines[FILENAME, FNR]
        item = $0 !~ "^" indent "}[,;]?$"
    } else if (attribute && !/^ *(#\[|\/\/)/) {
        attribute = 0
        test_lines[FILENAME, FNR]
        item = /[^,;}]$/
        if (match($0, /mod [a-z0-9_]+;$/)) {
            directory = FILENAME
            sub(/((^|\/)lib|(^|\/)main)?\.rs$/, "", directory)
            test_modules[directory "/" substr($0, RSTART + 4, RLENGTH - 5)]
        }
    } else if (/^ *#\[cfg\((test|all\(test,.*\))\)\]$/) {
        attribute = 1
        indent = $0
        sub(/#.*/, "", indent)
    }
    next
}

/^SF:/ {
    source = substr($0, 4)
    sub("^" ENVIRON["PWD"] "/", "", source)
    package = source
    sub(/^crates\//, "", package)
    sub(/\/.*/, "", package)
    if (package == "src") package = "charpipe"
    is_test = source ~ /^\/|^xtask\/|(^|\/)tests\//
    for (module in test_modules)
        if (source == module ".rs" || index(source, module "/") == 1) is_test = 1
    package_of[source] = package
}

# A line may be in several programs.
/^DA:/ && !is_test {
    split(substr($0, 4), line, ",")
    if ((source, line[1]) in test_lines) next
    runs[source, line[1]] += line[2]
    if (line[1] + 0 > last_line[source]) last_line[source] = line[1] + 0
}

END {
    for (source in last_line) {
        package = package_of[source]
        first = 0
        for (number = 1; number <= last_line[source]; number++) {
            if (!((source, number) in runs)) continue
            if (!runs[source, number] && (source, number) in constant_lines) continue
            lines[package]++
            if (runs[source, number]) {
                covered[package]++
                first = 0
            } else {
                if (!first) first = number
                count[source, first]++
                part[source, first] = source ":" first "-" number
            }
        }
    }
    for (key in part) printf "%6d  %s\n", count[key], part[key] | ("sort -k1,1nr -k2 >" uncovered)
    close("sort -k1,1nr -k2 >" uncovered)
    for (package in lines)
        printf "%-20s %6d lines %6.2f %%\n", package, lines[package], 100 * covered[package] / lines[package] | "sort"
}

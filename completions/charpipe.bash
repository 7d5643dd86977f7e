# Completions of charpipe for bash. charpipe itself lists the candidates: see --complete in
# src/cli/completions.rs.

_charpipe() {
    # bash splits words at = and :. Words without a space between them are joined again.
    local line=${COMP_LINE:0:COMP_POINT} rest word last=-1 index
    local -a words=()
    for ((index = 0; index <= COMP_CWORD; index++)); do
        rest=${line#"${line%%[![:space:]]*}"}
        word=${COMP_WORDS[index]}
        # The last word ends at the cursor.
        ((index < COMP_CWORD)) || word=$rest
        if ((index == 0)) || [[ $rest != "$line" ]]; then
            words[++last]=$word
        else
            words[last]+=$word
        fi
        line=${rest#"$word"}
    done

    # What bash replaces begins after the last = or :.
    local current=${words[last]} before='' separator head
    for separator in = :; do
        if [[ $COMP_WORDBREAKS == *$separator* && $current == *$separator* ]]; then
            head=${current%"${current##*"$separator"}"}
            ((${#head} <= ${#before})) || before=$head
        fi
    done

    COMPREPLY=()
    local kind='' value _
    while IFS=$'\t' read -r value _; do
        if [[ -z $kind ]]; then
            kind=$value
        else
            COMPREPLY+=("${value#"$before"}")
        fi
    done < <("${1/#\~\//$HOME/}" "--complete=$current" "${words[@]:1:last-1}" 2>/dev/null)

    if [[ $kind == files ]]; then
        # Without candidates bash completes file names.
        if ((${#COMPREPLY[@]} > 0)); then
            while IFS= read -r value; do
                COMPREPLY+=("$value")
            done < <(compgen -f -- "$current")
            compopt -o filenames 2>/dev/null
        fi
    else
        compopt +o default +o bashdefault 2>/dev/null
    fi
    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -o bashdefault -o default -F _charpipe charpipe

# Completions of charpipe for elvish. charpipe itself lists the candidates: see --complete in
# src/cli/completions.rs.

use str

set edit:completion:arg-completer[charpipe] = {|program @words|
  var current = $words[-1]
  var lines = [(try { (external $program) --complete=$current (all $words[..-1]) 2>/dev/null } catch { nop })]
  if (> (count $lines) 0) {
    for line $lines[1..] {
      var value description = (str:split &max=2 "\t" $line)
      var suffix = ' '
      if (str:has-suffix $value '=') { set suffix = '' }
      edit:complex-candidate $value &display=$value' '$description &code-suffix=$suffix
    }
    if (eq $lines[0] files) {
      edit:complete-filename $current
    }
  }
}

//! The scripts that request completions, which are in `completions/`.

/// A shell with completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
    Nushell,
}

/// Returns the completion script for a shell.
pub fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("../../completions/charpipe.bash"),
        Shell::Zsh => include_str!("../../completions/_charpipe"),
        Shell::Fish => include_str!("../../completions/charpipe.fish"),
        Shell::Powershell => include_str!("../../completions/_charpipe.ps1"),
        Shell::Elvish => include_str!("../../completions/charpipe.elv"),
        Shell::Nushell => include_str!("../../completions/charpipe.nu"),
    }
}

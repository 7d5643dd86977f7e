//! A terminal recording of check, fix and repair, from what the commands print.

use std::process::Command;
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};

use super::{DIRECTORY, Svg, escape};
use crate::GeneratedFile;

/// The commands, which run one after the other in a directory of their own. What precedes them is not shown.
const PREPARE: &str = "printf 'Gr\\374\\337e aus K\\366ln\\r\\nzweite Zeile\\r\\n' > letter.txt; \
     printf 'GrÃ¼ÃŸe aus KÃ¶ln\\n' > garbled.txt";
const COMMANDS: [&str; 6] = [
    "charpipe check letter.txt",
    "charpipe fix --from detect letter.txt",
    "charpipe check letter.txt && echo valid",
    "cat letter.txt",
    "cat garbled.txt",
    "charpipe repair garbled.txt",
];

/// Runs the commands in a new directory and returns the recording. `charpipe` is the command that runs charpipe.
///
/// # Errors
///
/// If a shell is missing, or a command prints what is not UTF-8.
pub fn record(charpipe: &str) -> Result<GeneratedFile> {
    let directory = env::temp_dir().join(format!("charpipe-recording-{}", process::id()));
    fs::create_dir_all(&directory)?;
    // Each output follows a control character.
    let commands = COMMANDS.map(|command| format!("printf '\\036'; {command} 2>&1"));
    let script =
        format!("charpipe() {{ {charpipe} \"$@\"; }}; {PREPARE}; {}; true", commands.join("; "));
    let run = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&directory)
        .env("CLICOLOR_FORCE", "1")
        .env_remove("NO_COLOR")
        .output();
    fs::remove_dir_all(&directory)?;
    let run = run.context("sh")?;
    ensure!(run.status.success(), "{script}: {}", run.status);
    Ok(draw(&String::from_utf8(run.stdout)?))
}

const LINE: f64 = 18.0;
/// The width of a character, in the widest of the fonts.
const CHARACTER: f64 = 8.0;
/// Seconds before a command, and before its output.
const PAUSE: f64 = 1.6;
const RUN: f64 = 0.5;

/// Draws the recording. `output` is what the commands printed, with the colors of a terminal.
fn draw(output: &str) -> GeneratedFile {
    let printed = output.split('\x1e').skip(1);
    let steps: Vec<(&str, &str)> = COMMANDS.into_iter().zip(printed).collect();
    let lines: usize = steps.iter().map(|(_, printed)| 1 + printed.lines().count()).sum();
    let height = LINE * lines as f64 + 8.0 * steps.len() as f64 + 44.0;
    let longest = steps.iter().flat_map(|(_, printed)| printed.lines()).map(shown_len).max();
    let width = 32.0 + CHARACTER * longest.unwrap_or_default() as f64;
    let mut svg = Svg::new(
        width as u32,
        height as u32,
        "charpipe check, fix and repair in a terminal",
        &steps.iter().map(|(command, _)| *command).collect::<Vec<_>>().join("; "),
    );
    // The last state is the one without animation.
    svg.push(
        "<style>.shown{animation:shown .15s backwards}@keyframes shown{from{opacity:0}}\
         @media(prefers-reduced-motion:reduce){.shown{animation:none}}</style>",
    );
    svg.rect([0.0, 0.0, width, height], "rx=\"8\" fill=\"#1d2430\"");
    for (index, color) in ["#e5645c", "#e3b341", "#56b870"].iter().enumerate() {
        svg.push(&format!(
            "<circle cx=\"{}\" cy=\"16\" r=\"5\" fill=\"{color}\"/>",
            18 + 18 * index
        ));
    }
    let (mut y, mut time) = (46.0, 0.4);
    for (command, printed) in steps {
        let prompt = format!("<tspan fill=\"#7ee2a8\">$ </tspan>{}", escape(command));
        line(&mut svg, y, time, &prompt);
        y += LINE;
        time += RUN;
        for text in printed.lines() {
            line(&mut svg, y, time, &spans(text));
            y += LINE;
        }
        y += 8.0;
        time += PAUSE;
    }
    GeneratedFile { path: format!("{DIRECTORY}/recording.svg"), contents: svg.end().into_bytes() }
}

/// Returns the number of characters of a line that are shown.
fn shown_len(text: &str) -> usize {
    let parts = text.split("\x1b[").enumerate();
    let shown = parts.map(|(index, part)| match part.split_once('m') {
        Some((_, text)) if index > 0 => text,
        _ => part,
    });
    shown.map(|text| text.chars().count()).sum()
}

fn line(svg: &mut Svg, y: f64, time: f64, content: &str) {
    svg.push(&format!(
        "<text class=\"shown\" style=\"animation-delay:{time:.1}s\" x=\"16\" y=\"{y:.0}\" fill=\"#e6edf3\" font-size=\"13\" \
         font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\" xml:space=\"preserve\">{content}</text>"
    ));
}

/// Returns text with the escape sequences of colors as spans.
fn spans(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut result = escape(parts.next().unwrap_or_default());
    let (mut color, mut is_bold) = (None, false);
    for part in parts {
        let (code, text) = part.split_once('m').unwrap_or(("0", part));
        for number in code.split(';') {
            match number {
                "" | "0" => (color, is_bold) = (None, false),
                "1" => is_bold = true,
                "31" => color = Some("#ff8b80"),
                "32" => color = Some("#7ee2a8"),
                "33" => color = Some("#e3c05a"),
                "34" | "36" => color = Some("#79c0ff"),
                "35" => color = Some("#d2a8ff"),
                _ => {}
            }
        }
        if text.is_empty() {
            continue;
        }
        let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
        let fill = color.map_or_else(String::new, |color| format!(" fill=\"{color}\""));
        result += &format!("<tspan{fill}{weight}>{}</tspan>", escape(text));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_become_spans() {
        assert_eq!(
            spans("a<\x1b[1m\x1b[31mb\x1b[0mc"),
            concat!(
                "a&lt;<tspan fill=\"#ff8b80\" font-weight=\"bold\">b</tspan>",
                "<tspan>c</tspan>"
            )
        );
    }
}

//! `recto manual`: the manual, made from the arguments.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Args, Manual};
use crate::failure::{Code, Failure};
use crate::out::Out;

/// The chapter of a manual that is about commands.
const CHAPTER: &str = "1";

pub(super) async fn run(asked: &Manual, out: &mut Out) -> Result<Code, Failure> {
    let mut command = Args::command();
    command.build();
    match &asked.folder {
        Some(folder) => write_pages(&command, folder, out)?,
        None => out.bytes(&one_page(&command)?)?,
    }
    Ok(Code::Ok)
}

/// One page for the tool, and one for each command.
fn write_pages(command: &Command, folder: &Path, out: &mut Out) -> Result<(), Failure> {
    let at = |path: &Path, fault| Failure::System {
        path: path.to_owned(),
        fault,
    };
    std::fs::create_dir_all(folder).map_err(|fault| at(folder, fault))?;
    let of = source(command);
    let all = std::iter::once(command).chain(commands(command));
    for command in all {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let path = folder.join(format!("{name}.{CHAPTER}"));
        let mut page = Vec::new();
        let man = Man::new(command.clone()).source(of.clone());
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        render_body(&man, command, &mut page)?;
        std::fs::write(&path, page).map_err(|fault| at(&path, fault))?;
        out.line(path.display())?;
    }
    Ok(())
}

/// The page of the tool, with the commands as chapters of it. What every command has is told once.
fn one_page(command: &Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).source(source(command));
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    render_body(&man, command, &mut page)?;
    for command in commands(command) {
        let own = command.clone().mut_args(|option| {
            let is_global = option.is_global_set();
            option.hide(is_global)
        });
        let mut chapter = Vec::new();
        render_body(&Man::new(own), command, &mut chapter)?;
        let title = format!(".SH \"RECTO {}\"\n", command.get_name().to_uppercase());
        page.extend_from_slice(title.as_bytes());
        page.extend_from_slice(&as_subsections(&chapter));
    }
    Ok(page)
}

/// What follows the name.
fn render_body(man: &Man, command: &Command, page: &mut Vec<u8>) -> Result<(), Failure> {
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    if command.get_after_help().is_some() {
        let mut notes = Vec::new();
        man.render_extra_section(&mut notes)?;
        let notes = String::from_utf8_lossy(&notes).replacen(".SH EXTRA", ".SH NOTES", 1);
        page.extend_from_slice(notes.as_bytes());
    }
    Ok(())
}

/// Sections become parts of the one that they are put into; the preamble of each is left out.
fn as_subsections(roff: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(roff);
    let is_preamble = |line: &str| line.starts_with(".ie") || line.starts_with(".el");
    let mut all = String::new();
    for line in text.lines().filter(|line| !is_preamble(line)) {
        match line.strip_prefix(".SH ") {
            Some(title) => all.push_str(&format!(".SS {title}")),
            None => all.push_str(line),
        }
        all.push('\n');
    }
    all.into_bytes()
}

/// The tool with its version, for the foot of a page.
fn source(command: &Command) -> String {
    format!("{} {}", command.get_name(), command.get_version().unwrap_or_default())
}

/// The commands, but for the one that tells of them.
fn commands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| command.get_name() != "help")
}

//! The one way in which results are written.
//!
//! | at the path is | what happens |
//! |---|---|
//! | nothing, or a regular file | the new file is written beside it, brought to the disk and renamed: old or new, never a part; mode and owner stay |
//! | a link to such a place | the same with the file it points to; the link stays |
//! | a device, a pipe, `/dev/stdout`, `/dev/fd/N` | it is written to; it is never replaced |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("new/page.html");
//! use merit_dataset::write_file_atomically;
//! write_file_atomically(&path, b"all of it")?;
//! assert_eq!(std::fs::read(&path)?, b"all of it");
//! # Ok(())
//! # }
//! ```

pub use crate::unfinished::{Unfinished, put_aside, remove_unfinished};

use crate::WriteError;
use crate::unfinished::parent;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Fails where [`write_file`] would fail now, and leaves nothing behind.
pub fn check_file(path: &Path) -> Result<(), WriteError> {
    match Destination::of(path)? {
        Destination::Replaced { target, old } => new_file(&target, path, old.as_ref()).map(drop),
        Destination::Stdout | Destination::InPlace => Ok(()), // to open a pipe would wait for its reader
    }
}

/// Writes a file so that readers see the old contents or the new, never a part.
pub fn write_file_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_file(path, |file| file.write_all(bytes))
}

/// The same for contents that are too large to be held: `write` gets the file, empty.
pub fn write_file(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), WriteError> {
    let failed = |source| WriteError::Io { path: path.into(), action: "written", source };
    match Destination::of(path)? {
        Destination::Replaced { target, old } => {
            let (partial, mut file) = new_file(&target, path, old.as_ref())?;
            write(&mut file).and_then(|()| to_disk(&file)).map_err(failed)?;
            partial.place(&target, path)
        }
        Destination::InPlace => {
            let mut file = OpenOptions::new().append(true).open(path).map_err(failed)?;
            write(&mut file).map_err(failed)
        }
        Destination::Stdout => match stdout().and_then(|mut file| write(&mut file)) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()), // the reader has seen enough
            written => written.map_err(failed),
        },
    }
}

/// Why `path` could not be made.
pub fn created(path: &Path, source: io::Error) -> WriteError {
    WriteError::Io { path: path.into(), action: "created", source }
}

/// What a path leads to.
enum Destination {
    /// A regular file or nothing, at the end of all links.
    Replaced { target: PathBuf, old: Option<fs::Metadata> },
    /// Something that data flows into.
    InPlace,
    /// The stdout of this process. If that is a file, opening it again would begin at its start.
    Stdout,
}

impl Destination {
    fn of(path: &Path) -> Result<Self, WriteError> {
        let mut target = path.to_path_buf();
        // As many links as Linux follows.
        for _ in 0..40 {
            if let Some(descriptor) = descriptor(&target) {
                return Ok(if descriptor == "1" { Self::Stdout } else { Self::InPlace });
            }
            match fs::read_link(&target) {
                Ok(next) => target = parent(&target).join(next),
                Err(_) => break,
            }
        }
        match fs::metadata(&target) {
            Ok(facts) if facts.is_dir() => Err(WriteError::NotAFile { path: path.into() }),
            Ok(facts) if facts.is_file() => Ok(Self::Replaced { target, old: Some(facts) }),
            Ok(_) => Ok(Self::InPlace),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Replaced { target, old: None }),
            Err(source) => Err(created(path, source)),
        }
    }
}

/// The name of an open file of a process, if `path` is one: `/dev/fd/1`, `/proc/self/fd/1`. They look like links to files.
fn descriptor(path: &Path) -> Option<String> {
    let folder = fs::canonicalize(parent(path)).ok()?;
    let own = Path::new("/proc").join(std::process::id().to_string()).join("fd");
    let name = path.file_name()?.to_string_lossy().into_owned();
    if folder == own || folder == Path::new("/dev/fd") {
        return Some(name);
    }
    (folder.starts_with("/proc") && folder.ends_with("fd")).then(|| format!("{name} of another process"))
}

#[cfg(unix)]
fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    let mut stdout = io::stdout().lock();
    stdout.flush()?;
    Ok(stdout.as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
fn stdout() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// An empty file for the contents of `target`, hidden beside it, with the mode and, if we may, the owner of the old one.
fn new_file(target: &Path, typed: &Path, old: Option<&fs::Metadata>) -> Result<(Unfinished, File), WriteError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let Some(old) = old else { return Unfinished::file(target, typed, &options) };
    let failed = |source| WriteError::Io { path: typed.into(), action: "written", source };
    OpenOptions::new().write(true).open(target).map_err(failed)?; // a file that is protected stays
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600); // private until it gets the permissions of the file it replaces
    let (partial, file) = Unfinished::file(target, typed, &options)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid())); // only root may give files away
    }
    file.set_permissions(old.permissions()).map_err(failed)?;
    Ok((partial, file))
}

/// Brings the contents to the disk, where there is one: only now it is certain that they fit.
fn to_disk(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::Command;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_link_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("secret"), "old").unwrap();
        fs::set_permissions(path("secret"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("secret", path("link")).unwrap();
        symlink(path("link"), path("far")).unwrap();
        symlink("new", path("dangling")).unwrap();
        for (name, text) in [("secret", "1"), ("link", "2"), ("far", "3")] {
            check_file(&path(name)).unwrap();
            write_file_atomically(&path(name), text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(path("secret")).unwrap(), text);
            assert_eq!(fs::metadata(path("secret")).unwrap().permissions().mode() & 0o7777, 0o600);
        }
        write_file_atomically(&path("dangling"), b"4").unwrap();
        assert_eq!(fs::read_to_string(path("new")).unwrap(), "4");
        for link in ["link", "far", "dangling"] {
            assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink(), "{link}");
        }
        assert_eq!(names(folder.path()), ["dangling", "far", "link", "new", "secret"]);
    }

    #[test]
    fn devices_and_pipes_are_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        check_file(&pipe).unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        write_file_atomically(&pipe, b"flows").unwrap();
        assert_eq!(reader.join().unwrap(), "flows");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["pipe"]);
        let null = folder.path().join("null");
        symlink("/dev/null", &null).unwrap();
        for path in [Path::new("/dev/null"), &null] {
            write_file_atomically(path, b"gone").unwrap();
            assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        }
        assert_eq!(names(folder.path()), ["null", "pipe"]);
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.npy");
        fs::write(&path, "good").unwrap();
        let error = write_file(&path, |file| file.write_all(b"half").and(Err(io::ErrorKind::StorageFull.into())));
        assert!(error.unwrap_err().to_string().contains("w.npy` cannot be written: "));
        assert_eq!(fs::read_to_string(&path).unwrap(), "good");
        assert_eq!(names(folder.path()), ["w.npy"]);
    }
}

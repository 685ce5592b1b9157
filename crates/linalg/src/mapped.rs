//! Dense matrices in files, for data larger than memory.
//!
//! The system reads a mapped file page by page as it is looked at. Pages that were looked at count as memory of this process until they
//! are dropped; a [`ResidentLimit`] does that whenever they are too many. A dropped page comes back when it is looked at again, so no
//! result depends on any of this.
//!
//! What may happen that Rust cannot turn into an error: somebody else cuts a mapped file short, or its disk fails. The system then ends
//! the process (SIGBUS).
//!
//! ```
//! use merit_linalg::mapped;
//! let mut r = mapped::scratch(&std::env::temp_dir(), 3, 2)?;
//! r.col_mut(1)[0] = 5.0;
//! assert_eq!(r.values(), [0.0, 0.0, 0.0, 5.0, 0.0, 0.0]);
//! # Ok::<(), std::io::Error>(())
//! ```

use crate::DenseMatrix;
use memmap2::{MmapOptions, MmapRaw};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Numbers in a mapped file.
pub(crate) struct Region {
    map: MmapRaw,
    count: usize,
}

/// All that is mapped now.
static REGIONS: Mutex<Vec<Weak<Region>>> = Mutex::new(Vec::new());

impl Region {
    fn new(map: io::Result<MmapRaw>, count: usize) -> io::Result<Arc<Self>> {
        let map = map?;
        assert!(map.len() == 8 * count && map.as_ptr().cast::<f64>().is_aligned(), "numbers begin at multiples of 8");
        let region = Arc::new(Self { map, count });
        let mut regions = REGIONS.lock().unwrap_or_else(PoisonError::into_inner);
        regions.retain(|region| region.strong_count() > 0);
        regions.push(Arc::downgrade(&region));
        Ok(region)
    }

    /// The numbers. Whoever writes to them must be the only one who has them.
    pub(crate) fn values(&self) -> *mut [f64] {
        std::ptr::slice_from_raw_parts_mut(self.map.as_mut_ptr().cast(), self.count)
    }

    /// Drops the pages that were looked at.
    fn release(&self) {
        #[cfg(unix)]
        // SAFETY: the mapping is shared with its file (`map_raw` maps so), which keeps what was written: a page that is dropped comes
        // back with the numbers that it held, so nobody who holds the values sees a change.
        let _ = unsafe { self.map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
    }
}

impl AsRef<[f64]> for Region {
    fn as_ref(&self) -> &[f64] {
        // SAFETY: aligned and of that length (checked in `new`), mapped as long as `self` lives, and any bits are an `f64`. Regions that are
        // read through this are written by nobody here; of other processes see the module's documentation.
        unsafe { &*self.values() }
    }
}

/// Bytes of a matrix.
fn bytes(rows: usize, cols: usize) -> io::Result<usize> {
    let bytes = rows.checked_mul(cols).and_then(|count| count.checked_mul(8));
    bytes.filter(|&bytes| bytes > 0 && bytes <= isize::MAX as usize).ok_or_else(|| unfit("no size of a matrix"))
}

fn unfit(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Whether values of this machine's `f64` that begin at this byte of a file can be mapped.
pub fn can_begin_at(start: u64) -> bool {
    start.is_multiple_of(8)
}

/// The matrix whose values are in a file, column after column in this machine's `f64`, from byte `start` on.
pub fn open(file: &File, start: u64, rows: usize, cols: usize) -> io::Result<DenseMatrix> {
    let bytes = bytes(rows, cols)?;
    if !can_begin_at(start) || file.metadata()?.len().saturating_sub(start) < bytes as u64 {
        return Err(unfit("the file does not hold such a matrix"));
    }
    let region = Region::new(MmapOptions::new().offset(start).len(bytes).map_raw_read_only(file), rows * cols)?;
    DenseMatrix::lent(rows, cols, region).map_err(io::Error::other)
}

/// A matrix of zeros to write to, in a file in this folder that nobody else sees and that is gone with it. Its blocks are there from the
/// beginning: where the disk is too full, this is an error, and not the end of the process later.
pub fn scratch(folder: &Path, rows: usize, cols: usize) -> io::Result<DenseMatrix> {
    let bytes = bytes(rows, cols)?;
    let mut file = nameless(folder)?;
    allocate(&mut file, bytes as u64)?;
    let region = Region::new(MmapOptions::new().len(bytes).map_raw(&file), rows * cols)?;
    Ok(DenseMatrix::of_scratch(rows, cols, region))
}

/// A new file without a name.
fn nameless(folder: &Path) -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!(".merit-scratch-{}-{number}", std::process::id()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Takes the blocks of the file.
fn allocate(file: &mut File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let length = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
        // SAFETY: a call with an open file and two numbers.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) } {
            0 => return Ok(()),
            libc::EOPNOTSUPP | libc::EINVAL => (), // this file system cannot: zeros are written
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
    let zeros = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(zeros.len() as u64);
        file.write_all(&zeros[..piece as usize])?;
        left -= piece;
    }
    file.flush()
}

/// Time between two looks at what is resident: at 3 GB/s for each of two threads, 30 MB.
const PERIOD: Duration = Duration::from_millis(5);

/// While it lives, pages of mapped matrices are dropped whenever more than so many bytes of files are resident.
#[derive(Debug)]
pub struct ResidentLimit {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ResidentLimit {
    /// Beside the pages of files that are resident now: those of the program.
    pub fn new(bytes: u64) -> io::Result<Self> {
        let (end, ended) = mpsc::channel();
        let most = resident_file_bytes().unwrap_or(0).saturating_add(bytes);
        let watch = move || {
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                if resident_file_bytes().is_none_or(|resident| resident > most) {
                    release();
                }
            }
        };
        let thread = thread::Builder::new().name("merit-resident".into()).spawn(watch)?;
        Ok(Self { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for ResidentLimit {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Drops the resident pages of all mapped matrices.
pub fn release() {
    let regions: Vec<Arc<Region>> =
        REGIONS.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect();
    regions.iter().for_each(|region| region.release());
}

/// Bytes of files that are resident in this process; `None` where the system does not tell.
fn resident_file_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(2)?.parse::<u64>().ok()?.saturating_mul(PAGE))
}

/// Bytes of a page where that file is; elsewhere it may be more, and the limit is reached later.
const PAGE: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> std::path::PathBuf {
        std::env::temp_dir()
    }

    #[test]
    fn a_scratch_matrix_keeps_what_was_written_when_its_pages_are_dropped() {
        // A folder where no other test makes files at this moment.
        let own = folder().join(format!("merit-pages-{}", std::process::id()));
        fs::create_dir(&own).unwrap();
        let mut matrix = scratch(&own, 300, 40).unwrap();
        assert!(matrix.values().iter().all(|&v| v == 0.0));
        matrix.fill_columns(|l, column| column.iter_mut().enumerate().for_each(|(m, v)| *v = (l * 1000 + m) as f64));
        release();
        let expected = DenseMatrix::from_fn(300, 40, |m, l| (l * 1000 + m) as f64);
        assert_eq!(matrix, expected);
        let copy = matrix.clone();
        matrix.col_mut(3)[5] = -1.0;
        assert_eq!(copy, expected, "a clone is a matrix of its own");
        let frozen = matrix.frozen();
        let part = frozen.columns(3..5);
        assert_eq!((part.cols(), part.col(0)[5]), (2, -1.0));
        assert_eq!(part.values().as_ptr(), frozen.col(3).as_ptr(), "columns of a mapped matrix are not copied");
        drop(frozen);
        assert_eq!(part.col(1)[299], 4299.0, "the file lives as long as somebody looks at it");
        assert_eq!(fs::read_dir(&own).unwrap().count(), 0, "nobody sees the file");
        fs::remove_dir(own).unwrap();
    }

    #[test]
    fn a_file_is_mapped_where_its_values_begin() {
        let mut file = nameless(&folder()).unwrap();
        file.write_all(&[7; 16]).unwrap();
        (0..6).for_each(|i| file.write_all(&f64::from(i).to_ne_bytes()).unwrap());
        let x = open(&file, 16, 3, 2).unwrap();
        assert_eq!(x.values(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(open(&file, 16, 3, 3).is_err() && open(&file, 4, 3, 2).is_err() && open(&file, 16, 0, 2).is_err());
    }

    #[test]
    fn what_cannot_be_made_is_an_error() {
        assert!(scratch(&folder().join("no such folder"), 3, 2).is_err());
        assert!(scratch(&folder(), usize::MAX, 2).is_err() && scratch(&folder(), 0, 2).is_err());
    }

    #[test]
    fn a_limit_ends_with_its_owner() {
        let matrix = scratch(&folder(), 1000, 100).unwrap();
        let limit = ResidentLimit::new(0).unwrap();
        for _ in 0..3 {
            assert_eq!(matrix.values().iter().sum::<f64>(), 0.0);
            thread::sleep(2 * PERIOD);
        }
        drop(limit);
    }
}

//! NumPy's .npz: a zip archive of .npy members, either arrays or the parts of a SciPy sparse matrix.

use crate::dense::{PLAUSIBLE_RATIO, read_vector};
use crate::lists::{Kind, List};
use crate::npy::{Header, check_length};
use crate::sparse::{Triplets, compressed, index, room_for_sparse, whole};
use crate::zip::{Archive, Contents, Member};
use crate::{Dataset, ReadError, Samples, error::quoted, input::Input};
use merit_linalg::SparseMatrix;
use std::io::{self, Read};

/// Reads the only array, the one asked for, or the sparse matrix.
pub(crate) fn read(input: &Input) -> Result<Dataset, ReadError> {
    let mut arrays = Arrays { input, archive: Archive::open(input)? };
    if let Some(name) = input.variable {
        return arrays.dense(name);
    }
    if ["format", "shape", "data"].iter().all(|name| arrays.member(name).is_ok()) {
        return arrays.sparse();
    }
    match &arrays.names()[..] {
        [] => Err(ReadError::NoMatrix { at: input.at.clone() }),
        [name] => arrays.dense(name),
        names => Err(ReadError::SeveralVariables { at: input.at.clone(), names: list(names) }),
    }
}

/// Where its lists of numbers are; all of it has been read then, and all checksums are right.
pub(crate) fn lists(input: &Input) -> Result<Vec<List>, ReadError> {
    let mut arrays = Arrays { input, archive: Archive::open(input)? };
    arrays.names().into_iter().map(|name| arrays.list(name)).collect()
}

fn list(names: &[String]) -> Vec<String> {
    names.iter().map(|name| quoted(name)).collect()
}

struct Arrays<'a> {
    input: &'a Input<'a>,
    archive: Archive,
}

impl Arrays<'_> {
    fn names(&self) -> Vec<String> {
        let members = self.archive.members.iter();
        members.filter_map(|member| member.name.strip_suffix(".npy").map(str::to_string)).collect()
    }

    fn member(&self, name: &str) -> Result<Member, ReadError> {
        let found = self.archive.members.iter().find(|member| member.name.strip_suffix(".npy") == Some(name));
        found.cloned().ok_or_else(|| ReadError::UnknownVariable {
            at: self.input.at.clone(),
            name: name.to_string(),
            names: list(&self.names()),
        })
    }

    /// A member's header, its contents after that, and their number of bytes.
    fn array(&mut self, input: &Input, member: &Member) -> Result<(Header, Contents<'_>, u64), ReadError> {
        let mut contents = self.archive.stream(input, member)?;
        let header = Header::read(input, &mut contents)?;
        let left = member.size.saturating_sub(header.size);
        Ok((header, contents, left))
    }

    fn dense(&mut self, name: &str) -> Result<Dataset, ReadError> {
        let (member, input) = (self.member(name)?, self.input.part(name));
        let (header, _, bytes) = self.array(&input, &member)?;
        let layout = header.layout(&input)?;
        check_length(&input, layout.bytes(), bytes)?;
        input.room_for(layout.matrix_bytes())?;
        if layout.matrix_bytes() > PLAUSIBLE_RATIO * u128::from(member.packed) {
            let found = io::copy(&mut self.archive.stream(&input, &member)?, &mut io::sink());
            let found = found.map_err(|error| input.io(error))?;
            if found < member.size {
                return Err(input.malformed("it ends too early"));
            }
        }
        let (header, mut contents, _) = self.array(&input, &member)?;
        let matrix = layout.read(&input, &mut contents)?.into();
        Ok(Dataset {
            matrix,
            labels: None,
            rounded: input.rounded(),
            description: header.description(&layout),
            maybe_transposed: false,
        })
    }

    /// A list of numbers, each turned into a `T`, and the name of their type.
    fn vector<T>(
        &mut self,
        name: &str,
        convert: impl Fn(f64) -> Option<T>,
    ) -> Result<(Vec<T>, &'static str), ReadError> {
        let (member, input) = (self.member(name)?, self.input.part(name));
        let (header, mut contents, bytes) = self.array(&input, &member)?;
        let element = header.element(&input)?;
        let &[count] = &header.shape[..] else {
            return Err(input.malformed(format!("it has {} dimensions, but 1 is expected", header.shape.len())));
        };
        check_length(&input, u128::from(count) * element.size() as u128, bytes)?;
        input.room_for(u128::from(count) * size_of::<T>() as u128)?;
        let number = |value| {
            convert(value).ok_or_else(|| input.malformed(format!("it holds {value:?}, which is not an index or size")))
        };
        let vector = read_vector(&input, &mut contents, element, count as usize, number)?;
        Ok((vector, element.name()))
    }

    /// Where a list is.
    fn list(&mut self, name: String) -> Result<List, ReadError> {
        let (member, input) = (self.member(&name)?, self.input.part(&name));
        let start = self.archive.start(&input, &member)?;
        if !member.is_stored() {
            return Err(input.malformed("it is compressed"));
        }
        let (header, mut contents, left) = self.array(&input, &member)?;
        let Some(kind) = header.descr.as_deref().and_then(Kind::of) else {
            let found = header.descr.as_deref().unwrap_or("records");
            return Err(input.malformed(format!("it holds {found}, not a list of numbers")));
        };
        let found = io::copy(&mut contents, &mut io::sink()).map_err(|error| input.io(error))?;
        let count = header.shape.iter().product::<u64>();
        check_length(&input, u128::from(count) * kind.size() as u128, found.min(left))?;
        Ok(List { name, kind, start: start + header.size, count: count as usize })
    }

    /// The letters that name the sparse format, as `csc`.
    fn format(&mut self) -> Result<String, ReadError> {
        let (member, input) = (self.member("format")?, self.input.part("format"));
        let (_, contents, _) = self.array(&input, &member)?;
        let mut letters = Vec::new();
        contents.take(64).read_to_end(&mut letters).map_err(|error| input.io(error))?;
        letters.retain(|&letter| letter != 0); // as bytes, or as text of 4 bytes a letter
        Ok(String::from_utf8_lossy(&letters).escape_debug().to_string())
    }

    fn sparse(&mut self) -> Result<Dataset, ReadError> {
        let input = self.input;
        let format = self.format()?;
        let (shape, _) = self.vector("shape", whole)?;
        let (rows, cols) = input.sizes(&shape)?;
        let (member, data) = (self.member("data")?, input.part("data"));
        let entries = self.array(&data, &member)?.0.shape.first().copied().unwrap_or(0);
        room_for_sparse(input, rows, cols, entries.into())?;
        let (matrix, number) = match format.as_str() {
            "csc" => self.compressed(rows, cols, Samples::Columns)?,
            "csr" => self.compressed(cols, rows, Samples::Rows)?,
            "coo" => {
                let (entry_rows, _) = self.vector("row", index)?;
                let (entry_cols, _) = self.vector("col", index)?;
                let (values, number) = self.vector("data", Some)?;
                let triplets = Triplets { rows: entry_rows, cols: entry_cols, values };
                (triplets.assemble(input, rows, cols)?, number)
            }
            _ => return Err(ReadError::SparseFormat { at: input.at.clone(), format }),
        };
        Ok(Dataset {
            maybe_transposed: false,
            matrix: matrix.into(),
            labels: None,
            rounded: input.rounded(),
            description: format!("sparse {format}, {number}"),
        })
    }

    /// Compressed lines of `length` places each: columns, or rows when `lines` says so.
    fn compressed(
        &mut self,
        length: usize,
        count: usize,
        lines: Samples,
    ) -> Result<(SparseMatrix, &'static str), ReadError> {
        let input = self.input;
        let (starts, _) = self.vector("indptr", |value| whole(value).map(|value| value as usize))?;
        if starts.len() != count + 1 {
            let found = starts.len();
            return Err(input.part("indptr").malformed(format!("{found} pointers, but {} are expected", count + 1)));
        }
        let (indices, _) = self.vector("indices", index)?;
        let (values, number) = self.vector("data", Some)?;
        let matrix = compressed(input, length, starts, indices, values)?;
        Ok((if lines == input.samples { matrix } else { matrix.transposed() }, number))
    }
}

//! A site as a file: fixed header, sections at multiples of 64 bytes, a checksum for each.
//!
//! What enters: a [`Site`]. What leaves: a `.site` file that appears whole or not at all, and the
//! other way round. Numbers are little-endian and volumes lie in the file as they do in memory, so
//! that a program may map the file and use it where it lies. `docs/site.md` has the layout.
//!
//! A reader believes nothing: the header and each section have a CRC-32, which sees every change
//! of up to 32 neighbouring bits; what lies between sections must be zero; the places of sections
//! follow from their sizes; and sizes are compared with that of the file before memory is taken.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use glam::DVec3;
use half::f16;
use understory_cloud::{CloudError, StagedFile};

use super::{Evidence, Gate, Model, Provenance, REACH_MAX_M, Site, SurfaceMesh, Volume};
use crate::LearnError;

/// First bytes of every site file; line ends and the high bit show transfers that change them.
const MAGIC: [u8; 8] = *b"\x89SITE\r\n\x1a";
/// The newest version, of sites whose volumes have colours, in a section that older versions do not
/// have. Version 2 is that of sites without, in which volumes swallow beams; others have version 1,
/// in which those bytes are 0.
pub const VERSION: u32 = 3;
/// That of sites with volumes that swallow beams.
const SWALLOWING: u32 = 2;
const HEADER_BYTES: usize = 256;
/// Sections begin at multiples of this.
const ALIGNMENT: u64 = 64;
/// Where the table of sections lies in the header.
const SECTION_TABLE: usize = 72;
const SECTION_ENTRY: usize = 24;
/// Where the header's own checksum lies.
const HEADER_SUM: usize = HEADER_BYTES - 4;
/// Bit of the flags: there is a surface.
const HAS_SURFACE: u32 = 1;
/// Sections in their order, and the bytes of one item of each.
const SECTIONS: [(&str, u64); 6] = [
    ("volumes", 48),
    ("evidence", 12),
    ("vertices", 12),
    ("triangles", 12),
    ("provenance", 1),
    ("colours", 3),
];
/// The section that is only there with colours.
const COLOURS: usize = 5;
/// Bytes that are read or written at a time: whole items of every section.
const BLOCK_BYTES: usize = 48 * 1024;

impl Site {
    /// Refuses a site that cannot be simulated: says what is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        check_frame(self)?;
        if self.evidence.len() != self.volumes.len() {
            let (volumes, evidence) = (self.volumes.len(), self.evidence.len());
            return Err(format!("it has {volumes} volumes and evidence of {evidence}"));
        }
        if !self.colours.is_empty() && self.colours.len() != self.volumes.len() {
            let (volumes, colours) = (self.volumes.len(), self.colours.len());
            return Err(format!("it has {volumes} volumes and {colours} colours"));
        }
        for (number, volume) in self.volumes.iter().enumerate() {
            check_volume(self, volume).map_err(|what| format!("volume {number} {what}"))?;
        }
        self.surface.as_ref().map_or(Ok(()), check_surface)
    }

    /// Writes the site; the file appears whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), LearnError> {
        self.check().map_err(|problem| LearnError::BadSite {
            path: path.to_path_buf(),
            problem: format!("it would not be one, because {problem}"),
            remedy: "nothing was written",
        })?;
        let none = SurfaceMesh::default();
        let surface = self.surface.as_ref().unwrap_or(&none);
        let provenance = toml::to_string(&self.provenance).unwrap_or_default().into_bytes();
        let counts = [
            self.volumes.len(),
            self.evidence.len(),
            surface.vertices.len(),
            surface.triangles.len(),
            provenance.len(),
            self.colours.len(),
        ]
        .map(|count| count as u64);
        let sums = [
            sum_of(&self.volumes, volume_bytes),
            sum_of(&self.evidence, evidence_bytes),
            sum_of(&surface.vertices, vertex_bytes),
            sum_of(&surface.triangles, triangle_bytes),
            crc32fast::hash(&provenance),
            sum_of(&self.colours, |colour| *colour),
        ];
        let mut file = StagedFile::create(path)?;
        let mut put = |bytes: &[u8]| -> Result<(), LearnError> {
            file.write_all(bytes).map_err(|error| cannot_write(path, error))
        };
        let layout = Layout::of(counts).ok_or_else(|| LearnError::BadSite {
            path: path.to_path_buf(),
            problem: "it would be larger than files can be".into(),
            remedy: "crop the site",
        })?;
        put(&header(self, &layout, counts, sums))?;
        let mut at = HEADER_BYTES as u64;
        let sections = layout.offsets.into_iter().enumerate();
        for (section, offset) in sections.take(section_count(counts)) {
            const ZEROS: [u8; ALIGNMENT as usize] = [0; ALIGNMENT as usize];
            put(&ZEROS[..(offset - at) as usize])?;
            match section {
                0 => in_blocks(&self.volumes, volume_bytes, &mut put)?,
                1 => in_blocks(&self.evidence, evidence_bytes, &mut put)?,
                2 => in_blocks(&surface.vertices, vertex_bytes, &mut put)?,
                3 => in_blocks(&surface.triangles, triangle_bytes, &mut put)?,
                4 => put(&provenance)?,
                _ => in_blocks(&self.colours, |colour| *colour, &mut put)?,
            }
            at = offset + counts[section] * SECTIONS[section].1;
        }
        file.publish()?;
        Ok(())
    }

    /// Reads a site.
    pub fn read(path: &Path) -> Result<Site, LearnError> {
        let mut reader = SiteReader::open(path)?;
        let volumes = reader.section(0, volume_of)?;
        let evidence = reader.section(1, evidence_of)?;
        let vertices = reader.section(2, vertex_of)?;
        let triangles = reader.section(3, triangle_of)?;
        let text = reader.section(4, |bytes: &[u8; 1]| bytes[0])?;
        let text = String::from_utf8(text).map_err(|_| reader.altered("provenance"))?;
        let provenance: Provenance =
            toml::from_str(&text).map_err(|_| reader.altered("provenance"))?;
        let colours = match reader.counts[COLOURS] {
            0 => Vec::new(),
            _ => reader.section(COLOURS, |bytes: &[u8; 3]| *bytes)?,
        };
        let head = reader.head;
        let site = Site {
            origin: head.origin,
            model: head.model,
            gate: head.gate,
            cell_m: head.cell_m,
            volumes,
            evidence,
            colours,
            surface: head.has_surface.then_some(SurfaceMesh { vertices, triangles }),
            provenance,
        };
        match site.check() {
            Ok(()) => Ok(site),
            Err(problem) => Err(reader.bad(problem, "learn the site again")),
        }
    }
}

/// What the header of a site file says, without reading the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteHead {
    /// Where its coordinates begin.
    pub origin: DVec3,
    /// Which estimator made it.
    pub model: Model,
    /// How rays meet the volumes.
    pub gate: Gate,
    /// Edge of the cells.
    pub cell_m: f64,
    /// Number of volumes.
    pub volumes: u64,
    /// Number of triangles of the surface.
    pub triangles: u64,
    has_surface: bool,
}

impl SiteHead {
    /// Reads the header of a file.
    pub fn read(path: &Path) -> Result<SiteHead, LearnError> {
        SiteReader::open(path).map(|reader| reader.head)
    }
}

struct SiteReader<'a> {
    path: &'a Path,
    file: BufReader<File>,
    head: SiteHead,
    layout: Layout,
    counts: Counts,
    sums: [u32; SECTIONS.len()],
    at: u64,
}

impl<'a> SiteReader<'a> {
    fn open(path: &'a Path) -> Result<SiteReader<'a>, LearnError> {
        let failed = |error| cannot_read(path, error);
        let bad = |problem: String, remedy| LearnError::BadSite {
            path: path.to_path_buf(),
            problem,
            remedy,
        };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut file = BufReader::with_capacity(BLOCK_BYTES, file);
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
        if !bytes.starts_with(&MAGIC) {
            let problem = "it does not begin as site files do".into();
            return Err(bad(problem, "name a file that `understory learn` wrote"));
        }
        let mut fields = Fields { bytes: &bytes, at: MAGIC.len() };
        let version = fields.u32();
        if bytes.len() >= 12 && version > VERSION {
            let problem = format!("it has version {version} and this program reads {VERSION}");
            return Err(bad(problem, "use a newer program"));
        }
        if bytes.len() < HEADER_BYTES {
            return Err(bad(format!("it is cut short after {length} bytes"), COPY_AGAIN));
        }
        let altered = || bad("its header was altered".into(), COPY_AGAIN);
        let sum = Fields { bytes: &bytes, at: HEADER_SUM }.u32();
        if crc32fast::hash(&bytes[..HEADER_SUM]) != sum || version == 0 {
            return Err(altered());
        }
        let (header_bytes, promised) = (fields.u32(), fields.u64());
        let origin = DVec3::new(fields.f64(), fields.f64(), fields.f64());
        let cell_m = fields.f64();
        let (model, gate, tau, flags) = (fields.u32(), fields.u32(), fields.f32(), fields.u32());
        let (mut counts, mut sums, mut offsets) = (Counts::default(), [0; 6], [0; 6]);
        for section in 0..if version == VERSION { SECTIONS.len() } else { COLOURS } {
            offsets[section] = fields.u64();
            counts[section] = fields.u64();
            sums[section] = fields.u32();
            if u64::from(fields.u32()) != SECTIONS[section].1 {
                return Err(altered());
            }
        }
        let model = model_of(model).ok_or_else(altered)?;
        let gate = match gate {
            0 => Gate::Cell { tau },
            1 => Gate::Ellipsoid { tau },
            2 => Gate::Soft,
            _ => return Err(altered()),
        };
        let layout = Layout::of(counts).filter(|layout| layout.offsets == offsets);
        let layout = layout.ok_or_else(altered)?;
        if header_bytes as usize != HEADER_BYTES
            || flags & !HAS_SURFACE != 0
            || promised != layout.length
        {
            return Err(altered());
        }
        if length != promised {
            let how = if length < promised { "cut short" } else { "too long" };
            let problem = format!("it is {how}: {length} bytes instead of {promised}");
            return Err(bad(problem, COPY_AGAIN));
        }
        let has_surface = flags & HAS_SURFACE != 0;
        let (volumes, triangles) = (counts[0], counts[3]);
        let head = SiteHead { origin, model, gate, cell_m, volumes, triangles, has_surface };
        Ok(SiteReader { path, file, head, layout, counts, sums, at: HEADER_BYTES as u64 })
    }

    fn bad(&self, problem: String, remedy: &'static str) -> LearnError {
        LearnError::BadSite { path: self.path.to_path_buf(), problem, remedy }
    }

    fn altered(&self, section: &str) -> LearnError {
        self.bad(format!("its {section} were altered"), COPY_AGAIN)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), LearnError> {
        self.at += bytes.len() as u64;
        let path = self.path;
        self.file.read_exact(bytes).map_err(|error| cannot_read(path, error))
    }

    /// The items of the next section, `N` bytes each.
    fn section<T, const N: usize>(
        &mut self,
        section: usize,
        item: impl Fn(&[u8; N]) -> T,
    ) -> Result<Vec<T>, LearnError> {
        let name = SECTIONS[section].0;
        let mut gap = [0; ALIGNMENT as usize];
        let gap = &mut gap[..(self.layout.offsets[section] - self.at) as usize];
        self.fill(gap)?;
        if gap.iter().any(|byte| *byte != 0) {
            return Err(self.altered(name));
        }
        // The layout was compared with the size of the file.
        let count = self.counts[section] as usize;
        let mut items = Vec::with_capacity(count);
        let mut sum = crc32fast::Hasher::new();
        let mut block = vec![0; BLOCK_BYTES];
        while items.len() < count {
            let bytes = (count - items.len()).saturating_mul(N).min(BLOCK_BYTES / N * N);
            let block = &mut block[..bytes];
            self.fill(block)?;
            sum.update(block);
            items.extend(block.as_chunks::<N>().0.iter().map(&item));
        }
        if sum.finalize() != self.sums[section] {
            return Err(self.altered(name));
        }
        Ok(items)
    }
}

pub(crate) fn cannot_write(path: &Path, error: std::io::Error) -> LearnError {
    CloudError::Write { path: path.to_path_buf(), error }.into()
}

fn cannot_read(path: &Path, error: std::io::Error) -> LearnError {
    CloudError::Read { path: path.to_path_buf(), error }.into()
}

const COPY_AGAIN: &str = "copy it again from where it was whole, or learn the site again";

/// Items of each section.
type Counts = [u64; SECTIONS.len()];

/// How many sections a file has.
fn section_count(counts: Counts) -> usize {
    if counts[COLOURS] == 0 { COLOURS } else { SECTIONS.len() }
}

/// Where sections begin; 0: one that is not there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    offsets: [u64; SECTIONS.len()],
    length: u64,
}

impl Layout {
    fn of(counts: Counts) -> Option<Layout> {
        let (mut offsets, mut length) = ([0; SECTIONS.len()], HEADER_BYTES as u64);
        for (section, (_, stride)) in SECTIONS.into_iter().enumerate().take(section_count(counts)) {
            offsets[section] = length.checked_next_multiple_of(ALIGNMENT)?;
            length = offsets[section].checked_add(counts[section].checked_mul(stride)?)?;
        }
        Some(Layout { offsets, length })
    }
}

fn header(site: &Site, layout: &Layout, counts: Counts, sums: [u32; SECTIONS.len()]) -> Vec<u8> {
    let (gate, tau) = match site.gate {
        Gate::Cell { tau } => (0u32, tau),
        Gate::Ellipsoid { tau } => (1, tau),
        Gate::Soft => (2, 0.0),
    };
    let flags = if site.surface.is_some() { HAS_SURFACE } else { 0 };
    let mut bytes = MAGIC.to_vec();
    let swallows = site.volumes.iter().any(|volume| volume.swallowed > 0);
    let version = match (site.colours.is_empty(), swallows) {
        (false, _) => VERSION,
        (true, true) => SWALLOWING,
        (true, false) => 1,
    };
    bytes.extend(version.to_le_bytes());
    bytes.extend((HEADER_BYTES as u32).to_le_bytes());
    bytes.extend(layout.length.to_le_bytes());
    for number in site.origin.to_array().into_iter().chain([site.cell_m]) {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(model_number(site.model).to_le_bytes());
    bytes.extend(gate.to_le_bytes());
    bytes.extend(tau.to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    debug_assert_eq!(bytes.len(), SECTION_TABLE);
    let there = section_count(counts);
    for (section, (_, stride)) in SECTIONS.into_iter().enumerate().take(there) {
        bytes.extend(layout.offsets[section].to_le_bytes());
        bytes.extend(counts[section].to_le_bytes());
        bytes.extend(sums[section].to_le_bytes());
        bytes.extend((stride as u32).to_le_bytes());
    }
    debug_assert_eq!(bytes.len(), SECTION_TABLE + there * SECTION_ENTRY);
    bytes.resize(HEADER_SUM, 0);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

fn model_number(model: Model) -> u32 {
    match model {
        Model::Voxel => 0,
        Model::TopDown => 1,
        Model::BottomUp => 2,
        Model::Likelihood => 3,
        Model::Surface => 4,
    }
}

fn model_of(number: u32) -> Option<Model> {
    let models = [Model::Voxel, Model::TopDown, Model::BottomUp, Model::Likelihood, Model::Surface];
    models.get(number as usize).copied()
}

/// Numbers one after another; zero past the end.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut taken = [0; N];
        if let Some(bytes) = self.bytes.get(self.at..self.at + N) {
            taken.copy_from_slice(bytes);
        }
        self.at += N;
        taken
    }

    fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }

    fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }
}

fn volume_bytes(volume: &Volume) -> [u8; 48] {
    let mut bytes = [0; 48];
    let floats = volume.mean_m.iter().chain(&volume.precision).chain([&volume.depth]);
    for (to, number) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(floats) {
        *to = number.to_le_bytes();
    }
    let halves = [
        volume.intensity_mean.to_bits(),
        volume.intensity_sigma.to_bits(),
        volume.label,
        u16::from_le_bytes([volume.level, volume.swallowed]),
    ];
    for (to, half) in bytes[40..].as_chunks_mut::<2>().0.iter_mut().zip(halves) {
        *to = half.to_le_bytes();
    }
    bytes
}

fn volume_of(bytes: &[u8; 48]) -> Volume {
    let mut fields = Fields { bytes, at: 0 };
    Volume {
        mean_m: [0; 3].map(|_| fields.f32()),
        precision: [0; 6].map(|_| fields.f32()),
        depth: fields.f32(),
        intensity_mean: f16::from_bits(fields.u16()),
        intensity_sigma: f16::from_bits(fields.u16()),
        label: fields.u16(),
        level: fields.u8(),
        swallowed: fields.u8(),
    }
}

fn evidence_bytes(evidence: &Evidence) -> [u8; 12] {
    triangle_bytes(&[evidence.points, evidence.stopped, evidence.passed])
}

fn evidence_of(bytes: &[u8; 12]) -> Evidence {
    let [points, stopped, passed] = triangle_of(bytes);
    Evidence { points, stopped, passed }
}

fn triangle_bytes(triangle: &[u32; 3]) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (to, number) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(triangle) {
        *to = number.to_le_bytes();
    }
    bytes
}

fn triangle_of(bytes: &[u8; 12]) -> [u32; 3] {
    let mut fields = Fields { bytes, at: 0 };
    [0; 3].map(|_| fields.u32())
}

fn vertex_bytes(vertex: &[f32; 3]) -> [u8; 12] {
    triangle_bytes(&vertex.map(f32::to_bits))
}

fn vertex_of(bytes: &[u8; 12]) -> [f32; 3] {
    triangle_of(bytes).map(f32::from_bits)
}

fn in_blocks<T, const N: usize>(
    items: &[T],
    bytes: impl Fn(&T) -> [u8; N],
    put: &mut impl FnMut(&[u8]) -> Result<(), LearnError>,
) -> Result<(), LearnError> {
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    for items in items.chunks(BLOCK_BYTES / N) {
        block.clear();
        items.iter().for_each(|item| block.extend(bytes(item)));
        put(&block)?;
    }
    Ok(())
}

fn sum_of<T, const N: usize>(items: &[T], bytes: impl Fn(&T) -> [u8; N]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    items.iter().for_each(|item| sum.update(&bytes(item)));
    sum.finalize()
}

fn check_frame(site: &Site) -> Result<(), String> {
    if !site.origin.is_finite() {
        return Err(format!("its origin is {}", site.origin));
    }
    if !(site.cell_m.is_finite() && site.cell_m > 0.0) {
        return Err(format!("its cells are {} m wide", site.cell_m));
    }
    match site.gate {
        Gate::Cell { tau } | Gate::Ellipsoid { tau } if !(tau > 0.0 && tau.is_finite()) => {
            return Err(format!("its gate τ is {tau}"));
        }
        _ => {}
    }
    let p = &site.provenance;
    for (name, value) in [
        ("sigma_range_m", p.sigma_range_m),
        ("divergence_rad", p.divergence_rad),
        ("encoder_step_rad", p.encoder_step_rad),
    ] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(format!("`{name}` of its provenance is {value}"));
        }
    }
    Ok(())
}

fn check_volume(site: &Site, volume: &Volume) -> Result<(), String> {
    let reach = REACH_MAX_M as f32;
    if !volume.mean_m.iter().all(|m| m.abs() <= reach) {
        let [x, y, z] = volume.mean_m;
        return Err(format!("lies at ({x}, {y}, {z}) m, not within {reach} m of the origin"));
    }
    if volume.depth.is_nan() || volume.depth < 0.0 {
        return Err(format!("has the optical depth {}", volume.depth));
    }
    if volume.level > 31 {
        return Err(format!("has a cell that was halved {} times", volume.level));
    }
    let (mean, sigma) = (volume.intensity_mean.to_f32(), volume.intensity_sigma.to_f32());
    let spread = sigma.is_finite() && sigma >= 0.0;
    if mean.is_infinite() || !(mean.is_nan() || spread) {
        return Err(format!("has intensities of {mean} ± {sigma}"));
    }
    let [xx, yy, zz, xy, xz, yz] = volume.precision.map(f64::from);
    let minor = xx * yy - xy * xy;
    let determinant = zz * minor - xx * yz * yz - yy * xz * xz + 2.0 * xy * xz * yz;
    if !(xx > 0.0 && minor > 0.0 && determinant > 0.0 && determinant.is_finite()) {
        return Err("has no valid shape: its precision is not positive definite".into());
    }
    let half_m = site.half_extent_m(volume);
    if !half_m.is_finite() || half_m.max_element() > REACH_MAX_M {
        return Err(format!("stops rays as far as {half_m} m from its centre"));
    }
    Ok(())
}

fn check_surface(surface: &SurfaceMesh) -> Result<(), String> {
    let reach = REACH_MAX_M as f32;
    let out = |vertex: &[f32; 3]| !vertex.iter().all(|x| x.abs() <= reach);
    if let Some(vertex) = surface.vertices.iter().position(out) {
        return Err(format!("vertex {vertex} of its surface is not within {reach} m"));
    }
    let vertices = surface.vertices.len();
    let loose = |triangle: &[u32; 3]| triangle.iter().any(|v| *v as usize >= vertices);
    match surface.triangles.iter().position(loose) {
        Some(triangle) => Err(format!("triangle {triangle} of its surface lacks a corner")),
        None => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests;

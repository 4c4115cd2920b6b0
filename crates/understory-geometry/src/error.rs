//! The one error type of the geometry.

/// Why a mesh, an instance or a scene was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// A mesh without triangles.
    #[error("the mesh has no triangles; give it at least one, or leave it out")]
    EmptyMesh,
    /// A vertex that is NaN or infinite.
    #[error("vertex {vertex} is ({x}, {y}, {z}), which is no position; repair or remove it")]
    BadVertex {
        /// Index of the vertex.
        vertex: usize,
        /// Its coordinates.
        x: f64,
        /// Its coordinates.
        y: f64,
        /// Its coordinates.
        z: f64,
    },
    /// A triangle that names a vertex that is not there.
    #[error(
        "triangle {triangle} names vertex {index}, but the mesh has {vertices} vertices; repair its indices"
    )]
    BadIndex {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex that it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A transform that flattens the mesh or is not finite.
    #[error(
        "the transform of instance {instance} flattens it or is not finite (determinant {determinant}); give every axis a scale other than 0"
    )]
    SingularTransform {
        /// Index of the instance.
        instance: usize,
        /// Determinant of its linear part.
        determinant: f64,
    },
    /// An instance of a mesh that the scene does not have.
    #[error(
        "instance {instance} names mesh {mesh}, but the scene has {meshes} meshes; add the mesh first"
    )]
    UnknownMesh {
        /// Index of the instance.
        instance: usize,
        /// The mesh that it names.
        mesh: usize,
        /// How many meshes there are.
        meshes: usize,
    },
    /// A swaying that is no motion of a plant.
    #[error(
        "instance {instance} sways by tangents up to {steepest}; give finite numbers and at most 10"
    )]
    BadSway {
        /// Index of the instance.
        instance: usize,
        /// The largest tangent that it asks for.
        steepest: f64,
    },
    /// A LOD level whose triangles do not each stand for a triangle of their own.
    #[error(
        "triangle {triangle} of a LOD level does not stand for a triangle of its own among the {triangles} of its mesh; give each a different one"
    )]
    BadStandIn {
        /// Index of the triangle in the LOD level; the number of triangles if there are not
        /// as many numbers.
        triangle: usize,
        /// How many triangles the mesh has.
        triangles: usize,
    },
    /// A cutout of another mesh.
    #[error("a cutout is not of the {triangles} triangles of its mesh; give one for each")]
    BadCutout {
        /// How many triangles the mesh has.
        triangles: usize,
    },
    /// Distances from which LOD levels are traced that are none or do not rise.
    #[error(
        "{bad_m} m stands in a list of distances for LOD levels, which must rise between 0 and 10⁹ m; sort and correct them"
    )]
    BadDistances {
        /// The distance.
        bad_m: f64,
    },
    /// Instructions that the machine lacks.
    #[error("this machine has no {set} instructions; choose one of InstructionSet::available()")]
    MissingInstructions {
        /// What was requested.
        set: String,
    },
    /// A word for instructions that is none.
    #[error(
        "UNDERSTORY_INSTRUCTIONS is {found:?}; set it to avx512, avx2 or portable, or unset it"
    )]
    UnknownInstructions {
        /// What was found.
        found: String,
    },
    /// More than fits the index types.
    #[error("{count} {what} are more than the {limit} that fit; split them")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many fit.
        limit: usize,
    },
}

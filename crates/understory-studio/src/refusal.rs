//! Why a call was refused: a status and a [`Problem`].

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use understory::Error;
use understory_cloud::CloudError;

use crate::protocol::document::Problem;

/// A refused call.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    problem: Problem,
}

/// What calls answer.
pub type Answer<T> = Result<T, Refusal>;

impl Problem {
    /// A problem that is about no line of the text.
    pub fn about(sentence: impl Into<String>) -> Problem {
        Problem { sentence: sentence.into(), line: None, column: None, end_column: None }
    }
}

impl Refusal {
    /// With this status and sentence.
    pub fn new(status: StatusCode, sentence: impl Into<String>) -> Refusal {
        Refusal { status, problem: Problem::about(sentence) }
    }

    /// What was asked for is not there.
    pub fn not_found(what: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, what)
    }

    /// What was asked for makes no sense.
    pub fn bad(what: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, what)
    }

    /// It cannot be done now.
    pub fn conflict(what: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, what)
    }

    /// The scenario or a file says something that cannot be.
    pub fn problem(problem: Problem) -> Refusal {
        Refusal { status: StatusCode::UNPROCESSABLE_ENTITY, problem }
    }

    /// What is wrong.
    pub fn into_problem(self) -> Problem {
        self.problem
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.problem)).into_response()
    }
}

macro_rules! refused {
    ($($error:ty),*) => {$(
        impl From<$error> for Refusal {
            fn from(error: $error) -> Refusal {
                Refusal::problem(Problem::about(error.to_string()))
            }
        }
    )*};
}

refused!(
    Error,
    CloudError,
    understory_compare::CompareError,
    understory_learn::LearnError,
    understory_files::FileError
);

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Refusal {
        let sentence = format!("the program cannot read or write a file: {error}");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
    }
}

impl From<tokio::task::JoinError> for Refusal {
    fn from(error: tokio::task::JoinError) -> Refusal {
        let sentence = format!("the program failed at this; please report it: {error}");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
    }
}

//! The world that the sub-rays meet.

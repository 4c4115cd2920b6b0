//! Things that lie or stand on the ground: rocks, logs, fences, walls and posts.

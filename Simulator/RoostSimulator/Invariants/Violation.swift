// SPDX-License-Identifier: Apache-2.0

/// A broken invariant, in one sentence.
struct Violation: Error {
    let sentence: String
}

func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(Violation) {
    if !condition { throw Violation(sentence: sentence()) }
}

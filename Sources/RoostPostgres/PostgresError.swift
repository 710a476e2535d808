// SPDX-License-Identifier: Apache-2.0

/// A failure of the database or of the way to it.
package struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// The class of the failure, by the caller's reaction.
    package enum Kind: Equatable, Sendable {
        /// libpq is not installed.
        case library
        /// No connection could be opened; nothing was sent.
        case unreachable
        /// The server, or libpq, does not accept the address, the user or the password.
        case rejected
        /// The connection broke, or its answer did not come in time.
        ///
        /// A statement under way may or may not have taken effect.
        case lost
        /// The server refused a statement, with this SQLSTATE; the transaction has no effect.
        case refused(String)
        /// A row has another form than its reader expects.
        case malformed
        /// The pool is closed.
        case closed
    }

    package let kind: Kind
    /// The cause and the remedy, without names and content of users.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }

    /// Whether the same transaction may succeed at once on a new attempt.
    package var isTransient: Bool {
        switch kind {
        case .lost: true
        // A deadlock, a conflict of transactions, a lock that was not granted in time, a server that
        // stops or starts, and a server that is no longer the primary.
        case .refused(let state):
            [
                "40P01", "40001", "55P03", "57P01", "57P02", "57P03", "25006", "08006", "08003",
            ].contains(state)
        default: false
        }
    }

    /// Whether the connection is of no use after the failure.
    var endsConnection: Bool {
        switch kind {
        case .lost: true
        case .refused(let state):
            state.hasPrefix("57P0") || state.hasPrefix("08") || state == "25006"
        default: false
        }
    }
}

extension PostgresError {
    static let noLibrary = PostgresError(
        .library,
        "The library libpq 14 or later was not found. Install it (apt-get install libpq5, "
            + "brew install libpq), or start without --database.")

    package static let changedPrimary = PostgresError(
        .lost, "The database has crashed or has another primary; the question is asked again.")

    static let closed = PostgresError(.closed, "The connections to the database are closed.")

    /// The error for a transaction that may have taken effect, so nothing here may repeat it.
    static func unknownFate(_ reason: String) -> PostgresError {
        PostgresError(
            .unreachable,
            "It is not known whether a change took effect, because the database did not say. "
                + reason)
    }

    package static func malformed(_ object: String, because reason: String) -> PostgresError {
        PostgresError(.malformed, "A stored object cannot be read: \(object). \(reason)")
    }
}

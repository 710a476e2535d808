// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
package import RoostStore
import RoostTransport
import RoostWire

// Converts the errors of the modules below into the error that callers receive.

extension Repairs {
    /// The sentences that describe the state of the files to a person.
    package var sentences: [String] { cacheSentences + outboxSentences }

    private var cacheSentences: [String] {
        switch cache {
        case .intact, .gone: []
        case .repaired(let quarantine, let reason, let saved):
            [
                "The cache was damaged (\(reason)) and was made anew with the \(saved.messages) "
                    + "messages that could be saved; the old file "
                    + (quarantine.map { "is at \($0)" } ?? "was deleted, because nothing sealed it")
                    + ". Unsent messages were not touched."
            ]
        }
    }

    private var outboxSentences: [String] {
        switch outbox {
        case .intact: []
        case .repaired(let quarantine, let reason, let saved):
            [
                "The file of unsent messages was damaged (\(reason)): \(saved.messages) of them were "
                    + "saved, \(saved.lost.map { "\($0)" } ?? "an unknown number") could not be read; "
                    + "the old file is at \(quarantine ?? "no known place")."
            ]
        case .gone:
            [
                "The file of unsent messages is gone and was made anew: an unknown number of them may be "
                    + "lost."
            ]
        }
    }
}

extension RoostError {
    /// Creates the error of a refused call.
    ///
    /// The interface of calls has one number for all missing objects, the socket one of its own for
    /// a missing channel. The app gets `.channelNotFound` from both.
    init(_ failure: APIFailure, to request: APIRequest) {
        let error = RoostError(failure)
        guard error.code == .notFound, request.namesOnlyChannel else {
            self = error
            return
        }
        self.init(
            .channelNotFound, remedy: error.remedy, message: error.message, underlying: failure)
    }

    /// The number that the server gave, for apps of the older SDKs; otherwise that of the error.
    package var serverCode: Code {
        guard case .refused(let error, _)? = underlying as? APIFailure else { return code }
        return error.code
    }

    init(_ error: TransportError) {
        let (code, remedy): (Code, Remedy) =
            switch error.kind {
            case .unreachable, .timedOut, .lost: (.networkError, .retry)
            case .answerTooLarge: (.malformedData, .retry)
            case .refused: (.requestFailed, .retry)
            case .cancelled: (.requestCanceled, .retry)
            case .untrusted: (.untrustedServer, .none)
            case .invalidURL: (.invalidParameter, .correctInput)
            }
        self.init(
            code, remedy: remedy, message: error.message,
            cause: error.kind == .unreachable ? .unreachable : .other, underlying: error)
    }

    init(_ error: StoreError) {
        let remedy: Remedy =
            switch error.kind {
            case .folderNotWritable, .notADatabase, .damaged, .full, .notAccessible: .repairStorage
            case .keyMissing, .wrongKey, .fileUnreadable: .correctInput
            // Another process holds the files, and lets go of them.
            case .suspended, .canceled, .keyUnavailable, .locked: .retry
            case .newerSchema, .olderSchema, .otherOwner, .closed, .searchUnavailable, .unexpected:
                .none
            }
        let code: Code =
            switch error.kind {
            case .fileUnreadable: .invalidParameter
            case .canceled: .requestCanceled
            default: .localDatabaseError
            }
        self.init(
            code, remedy: remedy,
            message: error.message, cause: .disk(mayPass: error.mayPass), underlying: error)
        self = after(error.repairs)
    }

    /// Returns the error of an opening that had made repairs before it failed.
    ///
    /// A repair is reported once, so the message tells it.
    func after(_ repairs: Repairs) -> RoostError {
        let message = ([message] + repairs.sentences).joined(separator: " ")
        return RoostError(
            code, remedy: remedy, message: message, cause: cause, underlying: underlying)
    }
}

extension StoreError {
    /// Whether the disk may accept the same write later: when the device is unlocked, has space, or
    /// another process is done.
    fileprivate var mayPass: Bool {
        switch kind {
        case .notAccessible, .full, .locked, .keyUnavailable, .suspended, .canceled: true
        case .folderNotWritable, .notADatabase, .damaged, .newerSchema, .olderSchema, .otherOwner,
            .keyMissing, .wrongKey, .fileUnreadable, .searchUnavailable, .closed, .unexpected:
            false
        }
    }
}

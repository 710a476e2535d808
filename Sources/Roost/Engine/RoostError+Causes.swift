// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import RoostTransport
import RoostWire

// The one place where the errors of the modules below become the error a caller meets.

extension Repairs {
    /// The sentences that tell a person how the files were found.
    var sentences: [String] { cacheSentences + outboxSentences }

    private var cacheSentences: [String] {
        switch cache {
        case .intact, .gone: []
        case .repaired(let setAside, let reason, let saved):
            [
                "The cache was damaged (\(reason)) and was made anew with the \(saved.messages) "
                    + "messages that could be saved; the old file "
                    + (setAside.map { "is at \($0)" } ?? "was deleted, because nothing sealed it")
                    + ". Unsent messages were not touched."
            ]
        }
    }

    private var outboxSentences: [String] {
        switch outbox {
        case .intact: []
        case .repaired(let setAside, let reason, let saved):
            [
                "The file of unsent messages was damaged (\(reason)): \(saved.messages) of them were "
                    + "saved, \(saved.lost.map { "\($0)" } ?? "an unknown number") could not be read; "
                    + "the old file is at \(setAside ?? "no known place")."
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
    init(_ error: TransportError) {
        let (code, remedy): (Code, Remedy) =
            switch error.kind {
            case .unreachable, .timedOut, .lost: (.networkError, .retry)
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
            case .folderNotWritable, .notADatabase, .damaged, .newerSchema, .olderSchema,
                .otherOwner, .locked,
                .full, .notAccessible:
                .repairStorage
            case .keyMissing, .wrongKey, .fileUnreadable: .correctInput
            case .suspended, .keyUnavailable: .retry
            case .closed, .searchUnavailable, .unexpected: .none
            }
        self.init(
            error.kind == .fileUnreadable ? .invalidParameter : .localDatabaseError,
            remedy: remedy,
            message: ([error.message] + error.repairs.sentences).joined(separator: " "),
            cause: .disk(mayPass: error.mayPass), underlying: error)
    }

    init(_ failure: APIFailure) {
        switch failure {
        case .refused(let error, let status):
            // Whatever the code, these two kinds of status pass by themselves.
            let passes = status == 429 || status >= 500
            self.init(
                error.code, remedy: passes ? .retry : Self.remedy(of: error.code),
                message: error.message, underlying: failure)
        case .unreadable(let error):
            self.init(
                .malformedData, remedy: .retry,
                message: "The server's answer could not be read: \(error)", underlying: failure)
        }
    }

    init(_ error: ServerError) {
        self.init(
            error.code, remedy: Self.remedy(of: error.code), message: error.message,
            underlying: error)
    }

    static func remedy(of code: Code) -> Remedy {
        switch code {
        case .tokenInvalid, .userDeactivated, .userNotFound, .sessionRevoked: .signIn
        case .applicationNotFound: .correctInput
        case .networkError, .socketClosed, .socketFailed, .connectionRequired, .loginTimeout,
            .ackTimeout, .rateLimited, .tooManyMessages, .internalServerError, .delayedConnecting,
            .sessionKeyExpired, .sessionKeyNotFound:
            .retry
        case .untrustedServer: .none
        default: .correctInput
        }
    }
}

extension StoreError {
    /// Whether the disk may take the same later: when the device is unlocked, when there is room, when another
    /// process is done.
    fileprivate var mayPass: Bool {
        switch kind {
        case .notAccessible, .full, .locked, .keyUnavailable, .suspended: true
        case .folderNotWritable, .notADatabase, .damaged, .newerSchema, .olderSchema, .otherOwner,
            .keyMissing, .wrongKey, .fileUnreadable, .searchUnavailable, .closed, .unexpected:
            false
        }
    }
}

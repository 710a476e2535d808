// SPDX-License-Identifier: Apache-2.0

// The user's own profile after a change at the server. Two changes may be answered at once, and the
// cache takes a user as a whole, so each change is applied to the present profile in one step.

import RoostModel
import RoostWire

/// A change of the user's own profile that the server has made.
package enum ProfileChange: Equatable, Codable, Sendable {
    /// The fields that a call has set; nil leaves a field as it is.
    case fields(nickname: String?, pictureURL: String?, languages: [String]?)
    /// Texts that were added or changed.
    case metadata([String: String])
    /// The key whose text was deleted; nil for all texts.
    case metadataDeleted(String?)

    fileprivate func apply(to user: inout User) {
        switch self {
        case .fields(let nickname, let pictureURL, let languages):
            if let nickname { user.nickname = nickname }
            if let pictureURL { user.profileURL = pictureURL }
            if let languages { user.details.preferredLanguages = languages }
        case .metadata(let texts): user.metadata.merge(texts) { $1 }
        case .metadataDeleted(let key?): user.metadata[key] = nil
        case .metadataDeleted(nil): user.metadata = [:]
        }
    }
}

/// The storage of a change of the user's own profile; at its end memory and disk have the change.
package struct ProfileChanging: SyncOperation {
    private let change: ProfileChange
    private var hasBegun = false

    package init(_ change: ProfileChange) { self.change = change }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (hasBegun, reply) {
        case (false, .begin):
            hasBegun = true
            return .need(.commit([.users([sync.changeOwnProfile(change)])], .local))
        case (true, .committed(.success)): return .end(.done)
        default: return .fail(reply)
        }
    }
}

extension SyncState {
    /// Changes the user's own profile in memory, and returns it.
    fileprivate mutating func changeOwnProfile(_ change: ProfileChange) -> User {
        var user = session?.login.user ?? outbox.me
        change.apply(to: &user)
        session?.login.user = user
        outbox.me = user
        return user
    }
}

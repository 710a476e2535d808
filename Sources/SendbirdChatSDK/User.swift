// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostWire

/// A person or a bot, as they were when this object was made.
open class User: NSObject, Codable {
    let value: RoostModel.User

    init(_ value: RoostModel.User) { self.value = value }

    /// Decodes a user; of a member or a sender as another class only the user.
    public required init(from decoder: any Decoder) throws {
        let object = try SerializedObject(from: decoder)
        guard let user = object.anyUser else { throw SerializedObject.mismatch(decoder) }
        value = user
        super.init()
        take(from: object)
    }

    /// Encodes the bytes of `serialize()`.
    open func encode(to encoder: any Encoder) throws { try object.encode(to: encoder) }

    /// The user in the form that is encoded.
    var object: SerializedObject { .user(value) }

    /// Takes over the user's part in a channel.
    func take(from object: SerializedObject) {}

    /// The user's identity in the application.
    public var userId: String { value.id.rawValue }
    /// The name to show; may be empty.
    public var nickname: String { value.nickname }
    /// The address of the picture.
    public var profileURL: String? { value.profileURL.isEmpty ? nil : value.profileURL }
    /// The address of the picture as the server sent it; the same as `profileURL`.
    public var originalProfileURL: String? { profileURL }
    /// The address of the picture without a file key; the same as `profileURL`.
    public var plainProfileImageURL: String? { profileURL }
    /// Texts of the app's own, by key; empty if the server sent none.
    public var metaData: [String: String]? { value.metadata }
    /// Whether the user may log in.
    public var isActive: Bool { value.isActive }
    /// Whether the user is a bot, as far as the server reported.
    public var isBot: Bool { value.unknownFields["is_bot"] == "true" }
    /// Whether the user is online, as far as the server reported.
    public var connectionStatus: UserConnectionStatus {
        switch value.details.isOnline {
        case true?: .online
        case false?: .offline
        case nil: .nonAvailable
        }
    }
    /// The time of the user's last connection, in milliseconds; 0 if unknown.
    public var lastSeenAt: Int64 { value.details.lastSeenAt?.milliseconds ?? 0 }
    /// The languages that the user prefers, best first; nil if the server sent none.
    public var preferredLanguages: [String]? {
        value.details.preferredLanguages.isEmpty ? nil : value.details.preferredLanguages
    }
    /// The name that this user has given to the friend; nil if the server sent none.
    public var friendName: String? { value.details.friendName }
    /// The key by which friends find the user; nil if the server sent none.
    public var friendDiscoveryKey: String? { value.details.friendDiscoveryKey }

    /// Returns the user as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(object.bytes) }

    /// Returns the user that was serialised; nil for other bytes.
    ///
    /// The bytes of a member or a sender tell their part in a channel, those of a restricted user
    /// do not.
    public class func build(fromSerializedData data: Data?) -> Self? {
        guard let data, let object = SerializedObject(Array(data)), let user = object.anyUser
        else { return nil }
        let made = make(user)
        made.take(from: object)
        return made as? Self
    }

    class func make(_ user: RoostModel.User) -> User { User(user) }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? User)?.value.id == value.id
    }

    open override var hash: Int { value.id.hashValue }
}

extension User: Identifiable {
    /// The user's identity; the same as `userId`.
    public var id: String { userId }
}

// MARK: - Metadata of the current user

extension User {
    /// Adds texts to the metadata of the current user.
    ///
    /// The call fails for other users, as the server permits only the user's own.
    public func createMetaData(
        _ metaData: [String: String],
        completionHandler: (([String: String]?, SBError?) -> Void)? = nil
    ) {
        change(completionHandler) { client throws(RoostError) in
            try await client.createUserMetadata(metaData)
        }
    }

    /// Changes metadata of the current user; missing keys are added.
    ///
    /// The call fails for other users, as the server permits only the user's own.
    public func updateMetaData(
        _ metaData: [String: String],
        completionHandler: (([String: String]?, SBError?) -> Void)? = nil
    ) {
        change(completionHandler) { client throws(RoostError) in
            try await client.updateUserMetadata(metaData, addsMissing: true)
        }
    }

    /// Deletes the current user's metadata under a key.
    public func deleteMetaData(key: String, completionHandler: SBErrorHandler? = nil) {
        delete(key, completionHandler)
    }

    /// Deletes all metadata of the current user.
    public func deleteAllMetaData(completionHandler: SBErrorHandler? = nil) {
        delete(nil, completionHandler)
    }

    private func delete(_ key: String?, _ handler: SBErrorHandler?) {
        change(handler.map { handler in { (_: Void?, error) in handler(error) } }) {
            client throws(RoostError) in try await client.deleteUserMetadata(key)
        }
    }

    private func change<Answer: Sendable>(
        _ handler: ((Answer?, SBError?) -> Void)?,
        _ work: @escaping @Sendable (ChatClient) async throws(RoostError) -> Answer
    ) {
        let door = SendbirdChat.door
        guard value.id == door.account else {
            return door.refuse(handler, "Only the metadata of the current user can be changed.")
        }
        door.perform(then: .answer(handler) { $0 }) { client throws(RoostError) in
            let answer = try await work(client)
            // Without a readable profile the door keeps the one that it has.
            if let me = try? await client.userOfLastLogin { door.update(me) }
            return answer
        }
    }
}

/// The online state of a user.
public enum UserConnectionStatus: Int, Sendable {
    /// The server did not tell.
    case nonAvailable
    /// The user is online.
    case online
    /// The user is offline.
    case offline
}

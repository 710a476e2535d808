// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostWire

/// The state of a poll.
public enum PollStatus: Int, Sendable {
    /// Users can vote.
    case open
    /// Voting has ended.
    case closed
    /// The poll was removed.
    case removed

    init(_ status: RoostModel.Poll.Status) {
        switch status {
        case .open: self = .open
        case .closed: self = .closed
        case .removed: self = .removed
        }
    }
}

/// A question with options to vote for, as it was when this object was made.
///
/// Times of polls are in seconds.
public final class Poll: NSObject {
    let value: RoostModel.Poll

    init(_ value: RoostModel.Poll) { self.value = value }

    /// The identifier.
    public var pollId: Int64 { value.id.rawValue }
    /// The question.
    public var title: String { value.title }
    /// The options, in order.
    public var options: [PollOption] { value.options.map { PollOption($0, in: pollId) } }
    /// The state.
    public var status: PollStatus { PollStatus(value.status) }
    /// The end of the vote, in seconds; -1 if it is open-ended.
    public var closeAt: Int64 { value.closesAt?.seconds ?? -1 }
    /// The creator's ID; nil if unknown.
    public var createdBy: String? { value.createdBy?.rawValue }
    /// The time of creation, in seconds; 0 if unknown.
    public var createdAt: Int64 { value.createdAt?.seconds ?? 0 }
    /// The time of the last change, in seconds; 0 if unknown.
    public var updatedAt: Int64 { value.updatedAt?.seconds ?? 0 }
    /// Whether users may add options.
    public var allowUserSuggestion: Bool { value.allowsSuggestions }
    /// Whether a user may vote for several options.
    public var allowMultipleVotes: Bool { value.allowsMultipleVotes }
    /// The options that the user voted for; empty if there are none or the server did not send it.
    public var votedPollOptionIds: [Int64] { value.votedOptionIDs?.map(\.rawValue) ?? [] }
    /// The number of users who voted.
    public var voterCount: Int { value.voterCount }
    /// The message that carries the poll; 0 before it is sent.
    public var messageId: Int64 { value.messageID?.rawValue ?? 0 }

    // MARK: Calls

    /// Creates a poll, for `UserMessageCreateParams.pollId`; needs a connection.
    public class func create(params: PollCreateParams, completionHandler: PollHandler?) {
        let params = params.value
        SendbirdChat.door.perform(then: .poll(completionHandler)) { client throws(RoostError) in
            try await client.createPoll(params)
        }
    }

    /// Returns a poll from the server; needs a connection.
    public class func get(params: PollRetrievalParams, completionHandler: PollHandler?) {
        let id = params.pollId
        SendbirdChat.door.perform(then: .poll(completionHandler)) { client throws(RoostError) in
            try await client.fetchPoll(PollID(id))
        }
    }

    // MARK: Copies

    /// Returns the poll as bytes, for a store of the app's own.
    public func serialize() -> Data? {
        var writer = JSONWriter()
        writer.object { writer in writer.fields(of: value) }
        return Data(writer.bytes)
    }

    /// Returns the poll that was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data?) -> Poll? {
        guard let data else { return nil }
        do throws(WireError) {
            var reader = try JSONReader(bytes: Array(data))
            return try reader.readPollIfPresent().map { Poll($0) }
        } catch {
            return nil
        }
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? Poll)?.pollId == pollId
    }

    public override var hash: Int { pollId.hashValue }
}

/// An option of a poll, as it was when this object was made.
public final class PollOption: NSObject {
    private let value: RoostModel.Poll.Option

    init(_ value: RoostModel.Poll.Option, in poll: Int64) {
        self.value = value
        pollId = poll
    }

    /// The poll.
    public let pollId: Int64
    /// The identifier.
    public var pollOptionId: Int64 { value.id.rawValue }
    /// The text.
    public var text: String { value.text }
    /// The number of votes.
    public var voteCount: Int { value.voteCount }
    /// The ID of the user who added the option; nil if unknown.
    public var createdBy: String? { value.createdBy?.rawValue }
    /// The time of creation, in seconds; 0 if unknown.
    public var createdAt: Int64 { value.createdAt?.seconds ?? 0 }
    /// The time of the last change, in seconds; 0 if unknown.
    public var updatedAt: Int64 { value.updatedAt?.seconds ?? 0 }
}

/// The name of a poll.
public final class PollRetrievalParams: NSObject, NSCopying {
    /// The poll.
    public var pollId: Int64 = 0
    /// The kind of the poll's channel; without effect, because the server finds it.
    public var channelType = ChannelType.group
    /// The poll's channel; without effect, because the server finds it.
    public var channelURL = ""

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (PollRetrievalParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        PollRetrievalParams().taking(\.pollId, \.channelType, \.channelURL, from: self)
    }
}

/// The properties of a new poll.
public final class PollCreateParams: NSObject, NSCopying {
    /// The question; at least one character.
    public var title = ""
    /// The texts of the options, in order; at least one.
    public var optionTexts: [String] = []
    /// The end of the vote, in seconds; -1 if it is open-ended.
    public var closeAt: Int64 = -1
    /// Whether a user may vote for several options.
    public var allowMultipleVotes = false
    /// Whether users may add options.
    public var allowUserSuggestion = false

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (PollCreateParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        PollCreateParams().taking(
            \.title, \.optionTexts, \.closeAt, \.allowMultipleVotes, \.allowUserSuggestion,
            from: self)
    }

    var value: RoostModel.PollCreateParams {
        RoostModel.PollCreateParams(
            title: title, options: optionTexts,
            closesAt: closeAt > 0 ? Timestamp(seconds: closeAt) : nil,
            allowsSuggestions: allowUserSuggestion, allowsMultipleVotes: allowMultipleVotes)
    }
}

/// The properties of a poll to be changed.
public final class PollUpdateParams: NSObject, NSCopying {
    /// The new question; nil leaves it as it is.
    public var title: String?
    /// The new end of the vote, in seconds; -1 makes the vote open-ended, and 0 leaves it as it is.
    public var closeAt: Int64 = 0
    /// Whether a user may vote for several options; not set, it stays as it is.
    public var allowMultipleVotes: Bool {
        get { several ?? false }
        set { several = newValue }
    }
    /// Whether users may add options; not set, it stays as it is.
    public var allowUserSuggestion: Bool {
        get { suggestions ?? false }
        set { suggestions = newValue }
    }

    private var several: Bool?
    private var suggestions: Bool?

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (PollUpdateParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        PollUpdateParams().taking(\.title, \.closeAt, \.several, \.suggestions, from: self)
    }

    var value: RoostModel.PollUpdateParams {
        var end: Timestamp?
        if closeAt != 0 { end = closeAt < 0 ? .distantFuture : Timestamp(seconds: closeAt) }
        return RoostModel.PollUpdateParams(
            title: title, closesAt: end, allowsSuggestions: suggestions,
            allowsMultipleVotes: several)
    }
}

extension Callback where Value == Result<RoostModel.Poll, RoostError> {
    static func poll(_ handler: PollHandler?) -> Self { answer(handler) { Poll($0) } }
}

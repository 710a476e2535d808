// SPDX-License-Identifier: Apache-2.0

/// The properties of a new poll.
public struct PollCreateParams: Hashable, Codable, Sendable {
    /// The question; at least one character.
    public var title: String
    /// The texts of the options, in order; at least one.
    public var options: [String]
    /// The end of the vote, which the server keeps in whole seconds; nil if it is open-ended.
    public var closesAt: Timestamp?
    /// Whether users may add options.
    public var allowsSuggestions: Bool
    /// Whether a user may vote for several options.
    public var allowsMultipleVotes: Bool
    /// The type of the app's own data, or "".
    public var dataType = ""
    /// The text of the app's own data, or "".
    public var dataText = ""

    /// Creates parameters; only the question and the options are required.
    public init(
        title: String, options: [String], closesAt: Timestamp? = nil,
        allowsSuggestions: Bool = false, allowsMultipleVotes: Bool = false
    ) {
        self.title = title
        self.options = options
        self.closesAt = closesAt
        self.allowsSuggestions = allowsSuggestions
        self.allowsMultipleVotes = allowsMultipleVotes
    }
}

/// The properties of a poll to be changed; nil leaves a property as it is.
public struct PollUpdateParams: Hashable, Codable, Sendable {
    /// The new question.
    public var title: String?
    /// The new end of the vote, which the server keeps in whole seconds; `.distantFuture` makes the
    /// vote open-ended.
    public var closesAt: Timestamp?
    /// Whether users may add options.
    public var allowsSuggestions: Bool?
    /// Whether a user may vote for several options.
    public var allowsMultipleVotes: Bool?
    /// The new type of the app's own data.
    public var dataType: String?
    /// The new text of the app's own data.
    public var dataText: String?

    /// Creates parameters that change what is not nil.
    public init(
        title: String? = nil, closesAt: Timestamp? = nil, allowsSuggestions: Bool? = nil,
        allowsMultipleVotes: Bool? = nil, dataType: String? = nil, dataText: String? = nil
    ) {
        self.title = title
        self.closesAt = closesAt
        self.allowsSuggestions = allowsSuggestions
        self.allowsMultipleVotes = allowsMultipleVotes
        self.dataType = dataType
        self.dataText = dataText
    }
}

extension UserMessageParams {
    /// The poll that the message carries; nil for none.
    ///
    /// A poll is in one message only, and its creator sends the message.
    public var pollID: PollID? {
        get { extraFields.pollID }
        set { extraFields.pollID = newValue }
    }
}

extension FileMessageParams {
    /// The poll that the message carries; nil for none.
    ///
    /// A poll is in one message only, and its creator sends the message.
    public var pollID: PollID? {
        get { extraFields.pollID }
        set { extraFields.pollID = newValue }
    }
}

extension UnknownFields {
    fileprivate var pollID: PollID? {
        get { self["poll_id"].flatMap { Int64($0) }.map { PollID($0) } }
        set {
            self = removing("poll_id")
            if let newValue { keep(Field(name: "poll_id", json: String(newValue.rawValue))) }
        }
    }
}

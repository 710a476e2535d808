// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension Document {
    /// The options that each user voted for.
    var votes: [UserID: [PollOptionID]] {
        guard case .object(let fields) = body["votes"] else { return [:] }
        var votes: [UserID: [PollOptionID]] = [:]
        for field in fields {
            votes[UserID(field.name)] = field.value.optionIDs
        }
        return votes
    }

    /// Returns the options that a user voted for, without a look at the other voters.
    func votes(of id: UserID) -> [PollOptionID] {
        body["votes"]?[id.rawValue]?.optionIDs ?? []
    }

    /// The poll without its votes.
    var ballot: Poll {
        var poll = Poll(id: PollID(id))
        if let text = body["poll"]?.text {
            var reader = JSONReader(text)
            // Only `with` writes this text; an unreadable text is an empty poll.
            poll = ((try? reader.readPollIfPresent()) ?? nil) ?? poll
        }
        poll.id = PollID(id)
        return poll
    }

    /// Returns the poll with its counts for a viewer; nil is the platform.
    func poll(for viewer: UserID?, at now: Timestamp) -> Poll {
        var poll = ballot
        let votes = votes.filter { !$0.value.isEmpty }
        poll.voterCount = votes.count
        var counts: [PollOptionID: Int] = [:]
        for option in votes.values.joined() { counts[option, default: 0] += 1 }
        for index in poll.options.indices {
            poll.options[index].voteCount = counts[poll.options[index].id] ?? 0
        }
        poll.votedOptionIDs = viewer.map { votes[$0] ?? [] }
        poll.status = poll.status(at: now)
        return poll
    }

    /// Whether a message is a repeat of the one that has claimed the poll.
    func mayCome(with message: Message) -> Bool {
        guard let channelURL, let request = message.requestID else { return false }
        return channelURL == message.channelURL && body["request"]?.string == request.rawValue
    }

    /// Whether the poll is free, or claimed for this message.
    func isClaimed(for message: Message) -> Bool {
        guard let channelURL else { return true }
        return channelURL == message.channelURL
            && body["request"]?.string == message.requestID?.rawValue
    }

    /// The number of the claim; nil without a claim.
    var claim: Int64? { body["claim"]?.int }

    /// The time after which a claim ends if its message neither carries the poll nor was refused.
    ///
    /// No storage takes that long, so the server has ended, or the last step of the message has
    /// failed. In the second case the message stays in the log with a copy of the poll that no change
    /// reaches, and a later message may carry the poll.
    private static let claimTime = Duration.seconds(300)

    /// Whether a message may claim the poll: no other one carries it, or has a claim that lasts.
    func isFree(at now: Timestamp) -> Bool {
        guard channelURL != nil else { return true }
        // Claims of earlier versions have no time and no end.
        guard claim != nil, let begun = body["claimed_at"]?.int else { return false }
        return Timestamp(milliseconds: begun) + Self.claimTime < now
    }

    /// Makes a message the only one that carries the poll.
    mutating func come(with message: Message) {
        channelURL = message.channelURL
        body["request"] = message.requestID.map { .string($0.rawValue) }
        body["claim"] = nil
        body["claimed_at"] = nil
    }

    /// Reserves the poll for a message, under the number of a claim.
    mutating func come(with message: Message, claim: Int64, at now: Timestamp) {
        come(with: message)
        body["claim"] = .int(claim)
        body["claimed_at"] = .int(now.milliseconds)
    }

    /// Ends a claim, unless a message carries the poll.
    mutating func release(_ claim: Int64) {
        guard self.claim == claim else { return }
        channelURL = nil
        body["request"] = nil
        body["claim"] = nil
        body["claimed_at"] = nil
    }

    /// Returns the document of a changed poll; new options get their numbers here.
    func with(_ poll: Poll, at now: Timestamp) -> Document {
        let known = self.poll(for: nil, at: now).options.map(\.id)
        // No number is used twice, because older copies of the poll have votes for it.
        var last = max(body["last_option"]?.int ?? 0, known.max()?.rawValue ?? 0)
        var numbered = poll
        for index in poll.options.indices where !known.contains(poll.options[index].id) {
            last += 1
            numbered.options[index].id = PollOptionID(last)
        }
        var writer = JSONWriter()
        writer.object { writer in writer.fields(of: numbered) }
        var document = self
        document.body["poll"] = try? JSONValue(parsing: writer.text)
        document.body["last_option"] = .int(last)
        document.forgetVotes(besides: numbered.options.map(\.id))
        document.body["changed"] = .int(max(now.milliseconds, changedAt.addingSaturated(1)))
        return document
    }

    /// Removes the votes for removed options, and the voters without another vote.
    private mutating func forgetVotes(besides known: [PollOptionID]) {
        for (user, options) in votes where !options.allSatisfy(known.contains) {
            setVotes(options.filter(known.contains), of: user)
        }
    }

    /// Stores a user's votes; a user without a vote has no entry.
    private mutating func setVotes(_ options: [PollOptionID], of id: UserID) {
        var votes = body["votes"] ?? [:]
        votes[id.rawValue] = options.isEmpty ? nil : .array(options.map { .int($0.rawValue) })
        body["votes"] = votes
    }

    /// Whether a user may replace their votes.
    ///
    /// - Parameters:
    ///   - options: The options of the vote; none takes the vote back.
    ///   - id: The user.
    ///   - now: The time of the vote.
    ///   - limit: The most voters in a poll.
    /// - Returns: Whether the poll is open, has the options, and has room for the voter.
    func allows(
        _ options: [PollOptionID], by id: UserID, at now: Timestamp, atMost limit: Int
    ) -> Bool {
        let poll = poll(for: nil, at: now)
        let known = poll.options.map(\.id)
        guard poll.status == .open, options.allSatisfy(known.contains),
            options.count <= 1 || poll.allowsMultipleVotes
        else { return false }
        // An entry without a vote, which older versions kept, has no place among the voters.
        let voters = votes.filter { !$0.value.isEmpty }
        return options.isEmpty || voters[id] != nil || voters.count < limit
    }

    /// Replaces a user's votes.
    mutating func vote(_ options: [PollOptionID], by id: UserID, at now: Timestamp) {
        guard votes[id] ?? [] != options else { return }
        setVotes(options, of: id)
        var poll = poll(for: nil, at: now)
        poll.updatedAt = now
        self = with(poll, at: now)
    }
}

extension JSONValue {
    /// The options in a list of numbers; none for any other value.
    fileprivate var optionIDs: [PollOptionID] {
        array?.compactMap(\.int).map { PollOptionID($0) } ?? []
    }
}

extension Message {
    /// Returns the message with the state of its poll at a time; the log keeps an ended poll as open.
    func withPoll(at now: Timestamp) -> Message {
        guard !hasNoDetails, let poll = details.poll, poll.hasEnded(at: now) else { return self }
        var message = self
        message.details.poll?.status = .closed
        return message
    }
}

extension Poll {
    /// Whether the time of an open poll is over.
    func hasEnded(at now: Timestamp) -> Bool {
        status == .open && closesAt.map { $0 <= now } ?? false
    }

    /// Returns the state at a time; an open poll closes at its end.
    func status(at now: Timestamp) -> Status { hasEnded(at: now) ? .closed : status }

    /// Adds an option with a number of its own.
    mutating func add(_ text: String, by id: UserID, at now: Timestamp) {
        let last = options.map(\.id.rawValue).max() ?? 0
        var option = Option(id: PollOptionID(last + 1))
        option.text = text
        option.createdBy = id
        option.createdAt = now
        option.updatedAt = now
        options.append(option)
    }

    /// Removes an option; returns false if there is no such option or no other one.
    mutating func remove(_ option: PollOptionID) -> Bool {
        guard options.count > 1, let index = options.firstIndex(where: { $0.id == option }) else {
            return false
        }
        options.remove(at: index)
        return true
    }

    /// Takes over the data of a call, if it has any.
    mutating func setData(_ fields: RequestFields) {
        guard let data = fields.value("data") else { return }
        dataType = data["type"]?.string ?? dataType
        dataText = data["text"]?.string ?? dataText
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension Document {
    /// When the poll last changed, in milliseconds.
    var changedAt: Int64 { body["changed"]?.int ?? 0 }

    /// The options each user voted for.
    var votes: [UserID: [Int64]] {
        guard case .object(let fields) = body["votes"] else { return [:] }
        var votes: [UserID: [Int64]] = [:]
        for field in fields {
            votes[UserID(field.name)] = field.value.array?.compactMap(\.int) ?? []
        }
        return votes
    }

    /// The poll with its counts, from one user's point of view or from nobody's.
    func poll(for viewer: UserID?, at now: Timestamp) -> Poll {
        var poll = Poll(id: id)
        if let text = body["poll"]?.text {
            var reader = JSONReader(text)
            // Only `with` writes such text; what cannot be read is an empty poll.
            poll = ((try? reader.readPollIfPresent()) ?? nil) ?? poll
        }
        poll.id = id
        let votes = votes.filter { !$0.value.isEmpty }
        poll.voterCount = votes.count
        for index in poll.options.indices {
            let option = poll.options[index].id
            poll.options[index].voteCount = votes.count { $0.value.contains(option) }
        }
        poll.votedOptionIDs = viewer.flatMap { votes[$0] } ?? []
        if poll.status == .open, let end = poll.closesAt, end <= now { poll.status = .closed }
        return poll
    }

    func with(_ poll: Poll, at now: Timestamp) -> Document {
        var writer = JSONWriter()
        writer.object { writer in writer.fields(of: poll) }
        var document = self
        document.body["poll"] = try? JSONValue(parsing: writer.text)
        document.body["changed"] = .int(max(now.milliseconds, changedAt + 1))
        return document
    }

    /// Replaces a user's votes, where the poll allows it.
    mutating func vote(_ options: [Int64], by id: UserID, at now: Timestamp) {
        var poll = poll(for: nil, at: now)
        let known = poll.options.map(\.id)
        guard poll.status == .open, options.allSatisfy(known.contains),
            options.count <= 1 || poll.allowsMultipleVotes
        else { return }
        var votes = body["votes"] ?? [:]
        votes[id.rawValue] = .array(options.map { .int($0) })
        body["votes"] = votes
        poll.updatedAt = now
        self = with(poll, at: now)
    }
}

extension Poll {
    mutating func add(_ text: String, by id: UserID, at now: Timestamp) {
        var option = Option(id: (options.map(\.id).max() ?? 0) + 1)
        option.text = text
        option.createdBy = id
        option.createdAt = now
        option.updatedAt = now
        options.append(option)
    }

    mutating func setData(_ fields: RequestFields) {
        guard let data = fields.value("data") else { return }
        dataType = data["type"]?.string ?? dataType
        dataText = data["text"]?.string ?? dataText
    }
}

extension JSONWriter {
    /// Writes how a poll stands after a vote into the object at hand.
    mutating func vote(_ poll: Poll, isOwn: Bool, at now: Timestamp) {
        field("poll_id", poll.id)
        if let id = poll.messageID { field("message_id", id.rawValue) }
        array("updated_vote_counts") { writer in
            for option in poll.options {
                writer.object { writer in
                    writer.field("option_id", option.id)
                    writer.field("vote_count", option.voteCount)
                }
            }
        }
        if isOwn {
            array("voted_option_ids") { writer in
                for id in poll.votedOptionIDs { writer.int(id) }
            }
        }
        field("voter_count", poll.voterCount)
        field("ts", now.milliseconds)
    }
}

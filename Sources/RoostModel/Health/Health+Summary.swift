// SPDX-License-Identifier: Apache-2.0

extension Health {
    /// Returns the health in one line for a person, such as “connected; 2 unsent, the oldest for
    /// 4 s (waits for the server's answer)”.
    ///
    /// The line names no channel, user or message.
    ///
    /// - Parameter now: The current moment by the device's clock, from which ages count.
    /// - Returns: The line; parts that are as they should be are left out.
    public func summary(at now: Timestamp) -> String {
        var parts = [connection.sentence(at: now)]
        parts += catchUp.sentences(at: now)
        parts += outbox.sentences(at: now)
        parts += cache.sentences
        if damage.isBeingRepaired { parts.append("a damaged cache is being repaired") }
        if isSuspended { parts.append("the files are closed") }
        return parts.joined(separator: "; ")
    }

    /// Returns the distance of two moments in words.
    fileprivate static func span(_ start: Timestamp, _ end: Timestamp) -> String {
        let seconds = max(end.milliseconds(since: start), 0) / 1_000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }

    fileprivate static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

extension Health.Connection {
    fileprivate func sentence(at now: Timestamp) -> String {
        switch state {
        case .disconnected: "not connected"
        case .connecting: attempt > 1 ? "connecting, attempt \(attempt)" : "connecting"
        case .awaitingToken: "waiting for the app's token"
        case .connected: "connected"
        case .waiting:
            nextAttempt.map { "connection lost, next attempt in \(Health.span(now, $0))" }
                ?? "connection lost"
        case .awaitingNetwork: "waiting for a network"
        case .asleep: "disconnected in the background"
        case .refused: "refused by the server" + (failure.map { " (\($0.code))" } ?? "")
        }
    }
}

extension Health.CatchUp {
    fileprivate func sentences(at now: Timestamp) -> [String] {
        var parts: [String] = []
        switch channelList {
        case .reading: parts.append("reading the channels' changes")
        case .fetching:
            parts.append("fetching channels, \(fetchedChannels) so far")
        case .waiting, .behind: parts.append("the channels' changes could not be read")
        case .offline, .current: break
        }
        if running > 0 {
            parts.append("catching up \(Health.count(running, "channel")), \(finished) done")
        }
        if waiting > 0 { parts.append("\(Health.count(waiting, "channel")) to be caught up") }
        if let nextAttempt { parts.append("repeated in \(Health.span(now, nextAttempt))") }
        if lookUps > 0 { parts.append("looking up \(Health.count(lookUps, "channel"))") }
        if downloads > 0 { parts.append(Health.count(downloads, "download")) }
        return parts
    }
}

extension Health.Outbox {
    fileprivate func sentences(at now: Timestamp) -> [String] {
        var parts: [String] = []
        if pending > 0, let oldest {
            let age = "\(pending) unsent, the oldest for \(Health.span(oldest.createdAt, now))"
            let reason = oldest.wait.map { " (\($0.sentence(at: now)))" }
            parts.append(age + (reason ?? ""))
        }
        if failed > 0 { parts.append("\(failed) failed") }
        return parts
    }
}

extension Health.Wait {
    /// The reason in a few words, such as "waits for a connection".
    package func sentence(at now: Timestamp) -> String {
        switch self {
        case .connection: "waits for a connection"
        case .suspension: "waits for the files"
        case .turn: "waits for another process"
        case .catchUp: "waits for the channel's catch-up"
        case .earlier: "waits for an earlier one"
        case .arrival: "waits for a message that may still arrive"
        case .user: "waits for a failed message"
        case .upload: "is being uploaded"
        case .answer: "waits for the server's answer"
        case .rateLimit(let moment): "limited by the server for \(Health.span(now, moment))"
        case .retry(let moment): "repeated in \(Health.span(now, moment))"
        case .place: "waits for other channels"
        case .disk: "waits for the disk"
        }
    }
}

extension Health.Cache {
    fileprivate var sentences: [String] {
        var parts: [String] = []
        if let size {
            let used = "cache \(size.bytes / 1_048_576)"
            parts.append(used + (limit.map { " of \($0.bytes / 1_048_576)" } ?? "") + " MiB")
        }
        if let channelsWithHoles, channelsWithHoles > 0 {
            parts.append("\(Health.count(channelsWithHoles, "channel")) with holes")
        }
        if let refusal { parts.append("the disk refuses writes (\(refusal.code))") }
        return parts
    }
}

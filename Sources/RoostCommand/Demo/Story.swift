// SPDX-License-Identifier: Apache-2.0

import RoostRequests
import RoostWire

/// The story of the demo; each step checks itself.
///
/// Ada sits at a desk. Bo is on a train: his link is cut, his process is killed, and he writes all
/// the same. The chapters after the cut are in `Story+Return` and `Story+Gaps`.
struct Story {
    let stage: Demo

    /// The two clients and their channel.
    struct Cast {
        let ada: ScriptedClient
        let bo: ScriptedClient
        let channel: String
    }

    /// Plays the story and returns the number of messages that both sides show in the end.
    func tell() throws(DemoFailure) -> Int {
        let cast = try meet()
        let written = try loseTheLink(cast)
        let changes = try goOnWithout(cast)
        try comeBack(cast, written: written, changes: changes)
        try missTooMany(cast)
        return try missMany(cast)
    }

    // MARK: One server, two people

    private func meet() throws(DemoFailure) -> Cast {
        try stage.chapter("Two people")
        var addresses = stage.servers
        if addresses.isEmpty {
            try stage.step("a server listens") { () throws(DemoFailure) in
                addresses = [try stage.startServer()]
            }
        }
        guard let first = addresses.first, let last = addresses.last else {
            throw .expected("a server", seen: "none")
        }
        let (ada, bo) = try stage.step("Ada and Bo connect, each in a separate process") {
            () throws(DemoFailure) in
            let ada = try stage.startClient(of: "ada", server: first)
            let bo = try stage.startClient(of: "bo", server: last)
            try ada.ask(.connect)
            try bo.ask(.connect)
            return (ada, bo)
        }
        let channel = try stage.step("Ada makes a channel, and it shows in Bo's list") {
            () throws(DemoFailure) in
            let made = try ada.ask(
                .createChannel, [("members", ["bo"]), ("name", "Night train")])
            guard let url = made["url"]?.string else {
                throw DemoFailure.expected("the channel's url", seen: made.text)
            }
            try awaitChannel(url, in: bo)
            try ada.ask(.open, [("channel", .string(url))])
            try bo.ask(.open, [("channel", .string(url))])
            return url
        }
        try stage.step("messages go both ways, and both see the same") {
            () throws(DemoFailure) in
            let talk = [
                (ada, "Are you on the train?"), (bo, "Just got on"), (ada, "Window seat?"),
                (bo, "Of course"), (ada, "Which window?"), (ada, "I mean which side"),
            ]
            for (index, (writer, text)) in talk.enumerated() {
                try writer.ask(.send, [("text", .string(text))])
                for reader in [ada, bo] {
                    try reader.awaitSnapshot("\(index + 1) delivered messages at \(reader.user)'s")
                    {
                        $0.messages.count == index + 1 && $0.messages.allSatisfy(\.isDelivered)
                    }
                }
            }
            try checkEqual(ada, bo)
        }
        try stage.draw()
        return Cast(ada: ada, bo: bo, channel: channel)
    }

    private func awaitChannel(_ url: String, in client: ScriptedClient) throws(DemoFailure) {
        try client.ask(.channels)
        try client.ask(.waitIdle)
        let list = try client.ask(.channels)
        let urls = (list["channels"]?.array ?? []).compactMap { $0["url"]?.string }
        guard urls.contains(url) else {
            throw .expected("\(url) in \(client.user)'s list", seen: "\(urls)")
        }
    }

    // MARK: The link is cut

    /// Cuts Bo's link and lets him write; returns his texts.
    private func loseTheLink(_ cast: Cast) throws(DemoFailure) -> [String] {
        let bo = cast.bo
        try stage.chapter("A tunnel")
        let before = try bo.snapshot()
        try stage.step("Bo's link is cut") { () throws(DemoFailure) in try bo.ask(.disconnect) }
        try stage.step("Bo's process is killed, starts again, and reads it all from disk") {
            () throws(DemoFailure) in
            try restartOffline(cast)
            let seen = try bo.snapshot()
            guard seen.agreed == before.agreed else {
                throw DemoFailure.different(
                    "from disk", expected: before.agreed, seen: seen.agreed)
            }
        }
        let texts = ["Tunnel!", "Writing anyway", "You will get this later"]
        try stage.step("Bo writes three messages, which wait") { () throws(DemoFailure) in
            for text in texts { try bo.ask(.send, [("text", .string(text))]) }
            try checkPending(texts, at: bo)
        }
        try stage.step("they are still there after another kill") { () throws(DemoFailure) in
            try restartOffline(cast)
            try checkPending(texts, at: bo)
        }
        return texts
    }

    private func restartOffline(_ cast: Cast) throws(DemoFailure) {
        cast.bo.kill()
        try cast.bo.start()
        try cast.bo.ask(.open, [("channel", .string(cast.channel))])
        let state = try cast.bo.ask(.waitIdle)["connection"]?.string ?? ""
        guard state == "disconnected" else {
            throw .expected("a client without a connection", seen: state)
        }
    }

    private func checkPending(
        _ texts: [String], at client: ScriptedClient
    ) throws(DemoFailure) {
        try client.awaitSnapshot("\(texts.count) pending messages at the end, in order") {
            $0.messages.filter(\.isPending).map(\.text) == texts
                && Array($0.texts.suffix(texts.count)) == texts
        }
    }
}

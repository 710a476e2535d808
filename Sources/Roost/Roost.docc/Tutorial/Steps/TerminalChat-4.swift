// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Writes a line at once; `print` would keep it for a pipe until there are more.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

let client = try await ChatClient.open(
    Configuration(
        applicationID: "demo", server: "http://127.0.0.1:8080", userID: "alice",
        cache: .folder("chat")))
try? await client.connect()

let known = try await client.channelList().snapshot.channels.first(where: \.isDistinct)
let bob = ChannelCreateParams(memberIDs: ["bob"], isDistinct: true)
let channel = if let known { known } else { try await client.createChannel(bob) }
let timeline = try await client.timeline(of: channel.url)
say("Write a line, or /older. Control-D ends the program.")

func line(_ message: Message) -> String {
    let sign =
        switch message.status {
        case .succeeded: "✓"
        case .pending: "◷"
        default: "✗"
        }
    return "\(sign) \(message.sender?.user.id.rawValue ?? ""): \(message.text)"
}

Task {
    for await snapshot in await timeline.snapshots() {
        say("\n" + (snapshot.hasOlder ? "… older messages" : "The beginning"))
        for message in snapshot.messages { say(line(message)) }
        if snapshot.hasHugeGap { say("… many newer messages") }
    }
}

Task {
    for await state in await client.connectionStates() {
        say("[\(state.name)]")
    }
}

let input = AsyncStream<String> { lines in
    Thread.detachNewThread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
    }
}
for await text in input where !text.isEmpty {
    do {
        if text == "/older" {
            try await timeline.loadOlder()
        } else {
            try await client.send(text, to: channel.url)  // On disk on return.
        }
    } catch {
        say(error.message)
    }
}
await client.close()

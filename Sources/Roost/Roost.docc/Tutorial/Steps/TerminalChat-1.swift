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

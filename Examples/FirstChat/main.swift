// SPDX-License-Identifier: Apache-2.0

import Roost

let settings = Configuration(
    applicationID: "demo", server: "http://127.0.0.1:8080", userID: "alice", cache: .folder("chat"))
let client = try await ChatClient.open(settings)
do { try await client.connect() } catch { print(error) }  // Offline the client keeps trying.
let known = try await client.channelList().snapshot.channels.first
let channel = if let known { known } else { try await client.createChannel(.init(memberIDs: [])) }
let timeline = try await client.timeline(of: channel.url)
try await client.send("Hello from the train", to: channel.url)  // On disk on return.
for await snapshot in await timeline.snapshots() {
    for message in snapshot.messages { print(message.status, message.text) }
    if snapshot.messages.last?.status == .succeeded { break }  // The server has it.
}

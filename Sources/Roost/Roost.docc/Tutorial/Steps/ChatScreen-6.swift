// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import SwiftUI

@main
struct ChatApp: App {
    @State private var client: ChatClient?
    @State private var problem = "Opening the chat…"

    var body: some Scene {
        WindowGroup {
            if let client {
                ChannelsScreen(client)
            } else {
                Text(problem).task { await open() }
            }
        }
    }

    private func open() async {
        do {
            let folder = URL.applicationSupportDirectory.appending(path: "chat")
            let settings = Configuration(
                applicationID: "demo", server: "http://127.0.0.1:8080", userID: "alice",
                cache: .folder(at: folder))
            let client = try await ChatClient.open(settings)
            self.client = client
            try await client.connect()
        } catch {
            problem = error.message
        }
    }
}

struct ChannelsScreen: View {
    private let client: ChatClient
    @State private var model: ChannelListModel

    init(_ client: ChatClient) {
        self.client = client
        _model = State(initialValue: ChannelListModel(client))
    }

    var body: some View {
        NavigationStack {
            List {
                ForEach(model.channels) { channel in
                    NavigationLink(channel.name.isEmpty ? "Chat" : channel.name) {
                        ChatScreen(client, channel)
                    }
                }
                if model.hasMore {
                    ProgressView().task(id: model.channels.count) { await model.loadMore() }
                }
                if let error = model.error {
                    Text(error.message)
                }
            }
            .navigationTitle(model.connection?.name ?? "offline")
        }
        .task { await model.run() }
    }
}

struct ChatScreen: View {
    private let title: String
    @State private var model: TimelineModel
    @State private var draft = ""

    init(_ client: ChatClient, _ channel: GroupChannel) {
        title = channel.name.isEmpty ? "Chat" : channel.name
        _model = State(initialValue: TimelineModel(client, channel: channel.url))
    }

    var body: some View {
        VStack {
            List {
                if model.hasOlder {
                    Button("Older messages") { Task { await model.loadOlder() } }
                }
                ForEach(model.messages) { message in
                    if message.id == firstBeyondGap {
                        Text("Messages are missing here.")
                    }
                    MessageRow(message: message)
                }
                if model.hasHugeGap {
                    Button("Newest messages") { Task { await model.jump(to: .distantFuture) } }
                }
            }
            if let error = model.error {
                Text(error.message)
            }
            HStack {
                TextField("Message", text: $draft)
                Button("Send") { Task { await send() } }
                    .disabled(draft.isEmpty)
            }
            .padding()
        }
        .navigationTitle(title)
        .task { await model.run() }
    }

    /// The first own message that was sent while messages are missing before it.
    private var firstBeyondGap: Message.Identity? {
        let delivered = model.messages.filter { $0.status == .succeeded }
        return delivered.suffix(model.sentBeyondGap).first?.id
    }

    private func send() async {
        let text = draft
        if await model.send(text), draft == text { draft = "" }
    }
}

struct MessageRow: View {
    let message: Message

    var body: some View {
        HStack {
            Text(message.text)
            Spacer()
            switch message.status {
            case .succeeded: Image(systemName: "checkmark")
            case .pending: Image(systemName: "clock")
            default: Image(systemName: "exclamationmark.circle")
            }
        }
    }
}

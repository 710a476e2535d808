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
            try? await client.connect()  // The chat works without it.
        } catch {
            problem = error.words
        }
    }
}

extension RoostError {
    /// Words for people; `message` is for developers and logs.
    var words: String {
        switch remedy {
        case .retry: "That does not work right now. Try again later."
        case .signIn: "Please sign in again."
        case .repairStorage: "The chat cannot use the storage of this device."
        case .correctInput, .none: "That did not work (\(code))."
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
                } else if model.isOpening {
                    ProgressView()
                } else if model.channels.isEmpty {
                    Text("No chats yet.")
                }
                if let error = model.error {
                    Text(error.words)
                }
            }
            .navigationTitle(title)
        }
        .task { await model.run() }
    }

    private var title: String {
        guard let connection = model.connection else { return "Chats" }
        return switch connection {
        case .connected: "Chats"
        case .connecting, .reconnecting: "Connecting…"
        case .refused(let error): error.words
        case .disconnected: "Offline"
        }
    }
}

struct ChatScreen: View {
    private let client: ChatClient
    private let channel: GroupChannel
    @State private var model: TimelineModel
    @State private var draft = ""

    init(_ client: ChatClient, _ channel: GroupChannel) {
        self.client = client
        self.channel = channel
        _model = State(initialValue: TimelineModel(client, channel: channel.url))
    }

    var body: some View {
        VStack {
            List {
                if model.isOpening {
                    ProgressView()
                }
                ForEach(model.messages) { message in
                    MessageRow(client: client, message: message)
                }
            }
            HStack {
                TextField("Message", text: $draft)
                Button("Send") { Task { await send() } }
                    .disabled(draft.isEmpty)
            }
            .padding()
        }
        .navigationTitle(channel.name.isEmpty ? "Chat" : channel.name)
        .task { await model.run() }
    }

    private func send() async {
        let text = draft
        guard await model.send(text) else { return }
        if draft == text { draft = "" }
    }
}

struct MessageRow: View {
    let client: ChatClient
    let message: Message

    var body: some View {
        HStack {
            Text(message.text)
            Spacer()
            switch message.delivery {
            case .delivered: Image(systemName: "checkmark")
            case .unsent(let id, .failed):
                Image(systemName: "exclamationmark.circle")
                Button("Send again") { Task { await client.resend(id) } }
                Button("Delete") { Task { await delete(id) } }
            case .unsent: Image(systemName: "clock")
            }
        }
        .buttonStyle(.borderless)  // Without it the whole row is one button.
    }

    private func delete(_ id: RequestID) async {
        await client.removeFailed(id, in: message.channelURL)
    }
}

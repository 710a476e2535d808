// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostChat

/// Channels that come and go, and what the chat says without any.
struct ChatPlacesTests {
    private static let lost =
        "This channel was deleted or hidden, or you are no longer in it."

    @Test func `a channel that vanishes is left for the first one, with a notice and its draft`() {
        var state = Sample.chat()
        state.type("Too late")
        let effects = state.receive(.channels([Sample.channels[1]], hasMore: false))
        #expect(
            effects == [
                .saveDraft("Too late", DraftPlace("train")), .endTyping("train"),
                .open("library", at: nil), .readPresence(["bo", "cleo"]),
            ])
        #expect(state.conversation?.channel == "library" && state.highlighted == "library")
        #expect(state.composer.isEmpty && state.notice?.text == Self.lost)
    }

    @Test func `the last channel that vanishes leaves nothing to write to`() {
        var state = Sample.chat(channels: [Sample.channels[0]])
        state.press(.up, .character("r"))
        #expect(state.receive(.channels([], hasMore: false)).isEmpty)
        #expect(state.conversation == nil && state.prompt == nil)
        #expect(state.notice?.text == Self.lost)
        #expect(state.type("a").isEmpty && state.press(.enter).isEmpty && state.composer.isEmpty)
        #expect(Sample.screen(state).contains("No channel yet."))
        #expect(!Sample.screen(state).contains("Write a message"))
        // The next channel opens by itself.
        #expect(
            state.receive(.channels(Sample.channels, hasMore: false)).contains(
                .open("train", at: nil)))
    }

    @Test func `a channel that the list does not have yet stays open`() {
        var state = Sample.chat()
        // The list has more channels further down.
        _ = state.receive(.channels([Sample.channels[1]], hasMore: true))
        #expect(state.conversation?.channel == "train")
        // A new channel is open before the list has it.
        _ = state.receive(.created("pair"))
        _ = state.receive(.channels(Sample.channels, hasMore: false))
        #expect(state.conversation?.channel == "pair" && state.notice == nil)
    }

    /// A chat whose list has ten channels, and more behind them.
    private static func manyChannels() -> (state: ChatState, channels: [GroupChannel]) {
        let channels = (1...10).map { Sample.channel(ChannelURL("c\($0)"), "Channel \($0)") }
        var state = Sample.chat(channels: channels)
        _ = state.receive(.channels(channels, hasMore: true))
        return (state, channels)
    }

    @Test func `the mouse wheel over the channels asks for more near their end`() {
        var (state, channels) = Self.manyChannels()
        let wheel = ChatInput.mouse(MouseAction(.wheelDown, row: 3, column: 2))
        var effects: [ChatEffect] = []
        for _ in 0..<6 { effects += state.receive(wheel) }
        #expect(effects.isEmpty && state.highlighted == "c7")
        effects = state.receive(wheel)
        #expect(effects == [.loadMoreChannels] && state.highlighted == "c8")
        // The whole list asks for nothing.
        _ = state.receive(.channels(channels, hasMore: false))
        effects = state.receive(wheel)
        #expect(effects.isEmpty && state.highlighted == "c9")
    }

    @Test func `Ctrl-N asks for more channels before it comes to the first one again`() {
        var (state, channels) = Self.manyChannels()
        var effects: [ChatEffect] = []
        for _ in 0..<6 { effects += state.press(.control("n")) }
        #expect(!effects.contains(.loadMoreChannels))
        effects = state.press(.control("n"))
        #expect(effects.first == .open("c8", at: nil) && effects.last == .loadMoreChannels)
        channels.append(Sample.channel("c11", "Channel 11"))
        _ = state.receive(.channels(channels, hasMore: false))
        state.press(.control("n"), .control("n"))
        effects = state.press(.control("n"))
        #expect(effects.first == .open("c11", at: nil))
        effects = state.press(.control("n"))
        #expect(effects.first == .open("c1", at: nil) && !effects.contains(.loadMoreChannels))
    }

    @Test func `a download that waits for the connection is paused like one that runs`() {
        for download in [DownloadProgress.State.running, .waitingForConnection] {
            var state = Sample.chat(columns: 120)
            #expect(Sample.screen(state).contains("^D fetch all"))
            #expect(state.press(.control("d")) == [.downloadHistory("train")])
            _ = state.receive(.historyDownload("train", download, messages: 7))
            #expect(Sample.screen(state).contains("^D pause"))
            #expect(state.press(.control("d")) == [.pauseDownload])
            _ = state.receive(.historyDownload("train", .paused, messages: 7))
            #expect(state.press(.control("d")) == [.downloadHistory("train")])
        }
    }

    @Test func `without a channel the screen says what comes, and its first key is a new chat`() {
        var state = ChatState(
            me: "ada", size: GridSize(rows: 24, columns: 80), timeZone: .current)
        #expect(Sample.screen(state).contains("No channel yet. Ctrl-T starts one"))
        _ = state.receive(.want("bo"))
        let screen = Sample.screen(state)
        #expect(screen.contains("The chat with bo starts with the connection."))
        let keys = " ^T new chat  F1 help  ^F search  ^O cut  ^Q quit"
        #expect(screen.split(separator: "\n").last.map { String($0) } == keys)
    }
}

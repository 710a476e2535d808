// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import Testing

@testable import RoostBench

/// The arithmetic of the measurement of several servers; the measurement itself takes minutes.
struct ClusterBenchTests {
    @Test func `a process's times are read behind a name with spaces and parentheses`() throws {
        let text =
            "42 (a (b) c) S 7 42 42 0 -1 4194560 100 200 0 0 150 50 25 75 20 0 1 0 100 9 9"
        let times = try #require(ProcessTimes(stat: text, ticks: 100))
        #expect(times.parent == 7)
        #expect(times.seconds == 3)
    }

    @Test(arguments: ["", "42", "42 (name) S", "42 (name) S x 1 1 0 -1 0 0 0 0 0 1 1 1 1"])
    func `a text that is no process's is refused`(text: String) {
        #expect(ProcessTimes(stat: text, ticks: 100) == nil)
    }

    @Test func `a group's time contains its children and no other process`() {
        let all: [Int32: ProcessTimes] = [
            1: ProcessTimes(parent: 0, seconds: 100), 2: ProcessTimes(parent: 1, seconds: 1),
            3: ProcessTimes(parent: 2, seconds: 2), 4: ProcessTimes(parent: 3, seconds: 4),
            5: ProcessTimes(parent: 1, seconds: 50),
        ]
        #expect(all.seconds(of: [2]) == 7)
        #expect(all.seconds(of: [3, 5]) == 56)
        #expect(all.seconds(of: [9]) == 0)
    }

    @Test func `a mark is found in a frame`() throws {
        let mark = LoadMark(request: "u1-7", sentAt: 123_456.7, host: 2)
        let found = try #require(LoadMark(in: #"MESG{"message":"\#(mark.text)...","ts":1}"#))
        #expect(found == mark)
        #expect(found.sentAt == 123_456)
        #expect(LoadMark(in: #"MESG{"message":"plain"}"#) == nil)
        #expect(LoadMark(in: "#a#b#c#") == nil)
    }

    @Test func `an answer is known by the request behind the message's number`() {
        let frame = #"MESG{"msg_id":4711,"req_id":"u1-7","message":"x"}"#
        #expect(LoadAnswer.acknowledged(by: frame) == "u1-7")
        let event = #"MESG{"msg_id":4711,"request_id":"u1-7","message":",\"req_id\":\"x\""}"#
        #expect(LoadAnswer.acknowledged(by: event) == nil)
        #expect(LoadAnswer.refused(by: #"EROR{"req_id":"r","code":900020}"#) == "r")
        #expect(LoadAnswer.refused(by: frame) == nil)
    }

    @Test func `the marks of a page are found in their order`() {
        let texts = (0..<3).map { LoadMark(request: "r\($0)", sentAt: 1, host: 0).text }
        let page = #"{"messages":[{"message":"\#(texts.joined(separator: #""},{"message":""#))"}]}"#
        #expect(LoadMark.requests(in: Array(page.utf8)) == ["r0", "r1", "r2"])
        #expect(LoadMark.requests(in: Array(#"{"messages":[]}"#.utf8)) == [])
    }

    @Test(arguments: [1, 2, 3, 4])
    func `the members of each channel are different users, at all hosts`(hosts: Int) {
        let world = LoadWorld(name: "w", users: 60, channels: 60, members: 10)
        for channel in 0..<world.channels {
            let members = world.members(of: channel)
            #expect(Set(members).count == 10)
            #expect(Set(members.map { $0 % hosts }).count == hosts)
        }
        let channels = world.channelsOfUsers()
        #expect(channels.allSatisfy { $0.count == 10 })
        #expect(channels.flatMap { $0 }.count == 600)
    }

    @Test func `a channel has no more members than there are users`() {
        let world = LoadWorld(name: "w", users: 3, channels: 1, members: 10)
        #expect(Set(world.members(of: 0)) == [0, 1, 2])
    }

    @Test func `a host's port is read from its first whole line`() {
        let line = "listening on http://127.0.0.1:4711 and ws://127.0.0.1:4711"
        #expect(HostServer.port(in: "a remark\n\(line)\nmore") == 4_711)
        #expect(HostServer.port(in: "a remark\nlistening on") == nil)
        #expect(HostServer.port(in: "") == nil)
    }

    @Test func `numbers of servers come in order and once`() throws {
        #expect(try Command.hostCounts("3,1,3") == [1, 3])
        #expect(try Command.hostCounts("2") == [2])
    }

    @Test(arguments: ["", "0", "1,,2", "1, 2", "x", "17", "-1"])
    func `a list that is no numbers of servers is refused with an example`(list: String) {
        let failure = #expect(throws: CommandFailure.self) { try Command.hostCounts(list) }
        #expect(failure?.code == .wrongArguments)
        #expect(failure?.message.contains("1,2,3") == true)
    }

    @Test func `a missing command is refused before anything is started`() async throws {
        let parsed = try CommandLineParser(.bench).parse(["cluster", "--roost", "/no/roost"])
        guard case .run(let command, let arguments) = parsed else {
            Issue.record("nothing to run")
            return
        }
        let failure = await #expect(throws: CommandFailure.self) {
            try await command.run(arguments)
        }
        #expect(failure?.message.contains("swift build") == true)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostCommand
import RoostCommandLine
import RoostModel
import RoostRequests
import RoostWire
import Testing

struct RequestLineTests {
    private static func line(_ text: String) -> RequestLine {
        RequestLine(.text(Array(text.utf8)))
    }

    private static let requests: [(String, Request)] = [
        (#""connect""#, .connect), (#""disconnect""#, .disconnect),
        (
            #""create_channel","members":["bo"],"name":"n","distinct":true"#,
            .createChannel(
                ChannelCreateParams(memberIDs: ["bo"], name: "n", isDistinct: true))
        ),
        (
            #""create_channel","members":[],"name":null"#,
            .createChannel(ChannelCreateParams(memberIDs: []))
        ),
        (#""channels""#, .channels(anew: false)),
        (#""channels","anew":true"#, .channels(anew: true)),
        (#""more_channels""#, .moreChannels),
        (#""open","channel":"c""#, .open("c", startingAt: .distantFuture)),
        (#""open","channel":"c","starting_at":"latest""#, .open("c", startingAt: .distantFuture)),
        (
            #""open","channel":"c","starting_at":17"#,
            .open("c", startingAt: Timestamp(milliseconds: 17))
        ),
        (#""older""#, .older), (#""newer""#, .newer),
        (#""send","text":"hi""#, .send("hi", nil)),
        (#""send","text":"hi","channel":"c""#, .send("hi", "c")),
        (#""send_file","path":"/a/b""#, .sendFile(path: "/a/b", "", nil)),
        (#""edit","message_id":7,"text":"ho""#, .edit(7, "ho", nil)),
        (#""delete","message_id":7,"channel":"c""#, .delete(7, "c")),
        (#""resend","request_id":"r""#, .resend("r")),
        (#""cancel","request_id":"r""#, .cancel("r")),
        (#""snapshot""#, .snapshot), (#""close""#, .close), (#""cache""#, .cache),
        (#""health""#, .health), (#""wait_idle""#, .waitIdle), (#""quit""#, .quit),
        (#""compare""#, .compare(nil)), (#""compare","channel":"c""#, .compare("c")),
        (#""leave","channel":"c""#, .change(.leave, "c")),
        (#""hide""#, .change(.hide(allowsAutoUnhide: true), nil)),
        (#""hide","auto_unhide":false"#, .change(.hide(allowsAutoUnhide: false), nil)),
        (#""unhide""#, .change(.unhide, nil)),
        (
            #""update_channel","name":"n","custom_type":"""#,
            .change(.update(ChannelUpdateParams(name: "n", customType: "")), nil)
        ),
        (#""invite","members":["bo"]"#, .change(.invite(["bo"]), nil)),
        (#""set_push_trigger","trigger":"off""#, .change(.setPushTrigger(.off), nil)),
        (#""save_draft","text":"t","thread":7"#, .saveDraft("t", thread: 7, nil)),
        (#""save_draft","text":"""#, .saveDraft("", thread: nil, nil)),
        (#""drafts""#, .drafts),
        (#""inbox","name":"i""#, .inbox("i", isFromBeginning: false)),
        (#""inbox","name":"i","from":"beginning""#, .inbox("i", isFromBeginning: true)),
        (#""acknowledge","name":"i""#, .acknowledge("i")),
        (#""add_reaction","message_id":7,"key":"k""#, .react("k", adds: true, 7, nil)),
        (
            #""remove_reaction","message_id":7,"key":"k","channel":"c""#,
            .react("k", adds: false, 7, "c")
        ),
        (#""mark_read""#, .markRead(through: nil, nil)),
        (
            #""mark_read","through":9,"channel":"c""#,
            .markRead(through: Timestamp(milliseconds: 9), "c")
        ),
        (#""start_typing""#, .typing(isStart: true, nil)),
        (#""end_typing","channel":"c""#, .typing(isStart: false, "c")),
        (#""search","words":"w""#, .search("w", limit: 20, nil)),
        (#""search","words":"w","limit":3,"channel":"c""#, .search("w", limit: 3, "c")),
        (#""holes""#, .holes(nil)), (#""holes","channel":"c""#, .holes("c")),
        (#""download","url":"u""#, .download("u", path: nil)),
        (#""download","url":"u","path":"/p""#, .download("u", path: "/p")),
    ]

    @Test(arguments: requests)
    func `a request is read with its fields`(text: String, request: Request) throws {
        let line = Self.line("{\"id\":1,\"request\":\(text)}")
        #expect(line.id == .int(1))
        #expect(try line.outcome.get() == request)
    }

    @Test func `each request name has an example in this table`() {
        let asked = Self.requests.map { $0.0 }
        for name in Request.Name.allCases {
            #expect(asked.contains { $0.hasPrefix("\"\(name.rawValue)\"") }, "\(name)")
        }
    }

    @Test(arguments: [
        ("{", "not JSON"), ("", "not JSON"), ("\u{7}", "not JSON"),
        ("[1]", "must be a JSON object"), ("7", "must be a JSON object"),
    ])
    func `a line without an object gets an answer`(text: String, hint: String) throws {
        let line = Self.line(text)
        #expect(line.id == .null)
        let error = try #require(Self.error(of: line))
        #expect(error.code == .malformedData)
        #expect(error.message.contains(hint), "\(error.message)")
    }

    @Test func `invalid UTF-8 and a line that is too long get an answer`() throws {
        #expect(Self.error(of: RequestLine(.text([0xFF, 0xFE])))?.code == .malformedData)
        #expect(Self.error(of: RequestLine(.tooLong))?.code == .malformedData)
    }

    @Test(arguments: [
        (#""request":"conect""#, "did you mean connect?"),
        (#""request":"react""#, "did you mean add_reaction?"),
        (#""request":"typing""#, "did you mean start_typing?"),
        (#""request":"unread""#, "did you mean channels?"),
        (#""request":"messages""#, "did you mean snapshot?"),
        (#""request":"exit""#, "did you mean quit?"),
        (#""request":"xyzzy""#, "There is no request “xyzzy”. docs/client.md lists the requests."),
        (#""request":7"#, "“request” must be a string"),
        (#""rekwest":"connect""#, "no field “request”"),
        (#""request":"send","txt":"hi""#, "no field “txt”; did you mean text?"),
        (#""request":"connect","text":"hi""#, "no field “text”"),
        (#""request":"send""#, "needs “text”"),
        (#""request":"send","text":"""#, "needs “text”"),
        (#""request":"send_file","text":"hi""#, "needs “path”"),
        (#""request":"send","text":5"#, "“text” must be a string"),
        (#""request":"send","text":"hi","channel":5"#, "“channel” must be a string"),
        (#""request":"open""#, "needs “channel”"),
        (#""request":"open","channel":"c","starting_at":"now""#, "must be \"latest\""),
        (#""request":"open","channel":"c","starting_at":1.5"#, "whole milliseconds"),
        (#""request":"create_channel""#, "needs “members”, a list"),
        (#""request":"create_channel","members":"bo""#, "needs “members”, a list"),
        (#""request":"create_channel","members":["bo",7]"#, "Every entry of “members”"),
        (#""request":"create_channel","members":[],"distinct":1"#, "must be true or false"),
        (#""request":"edit","text":"t""#, "needs “message_id”, a whole number"),
        (#""request":"delete","message_id":"7""#, "needs “message_id”, a whole number"),
        (#""request":"edit","message_id":0,"text":"t""#, "needs “message_id”, a whole number"),
        (#""request":"delete","message_id":-1"#, "needs “message_id”, a whole number"),
        (#""request":"add_reaction","message_id":0,"key":"k""#, "needs “message_id”"),
        (#""request":"save_draft","thread":0"#, "“thread” must be a whole number"),
        (#""request":"resend""#, "needs “request_id”"),
    ])
    func `an invalid request gets an answer with its id and the remedy`(
        fields: String, hint: String
    ) throws {
        let line = Self.line("{\"id\":\"a\",\(fields)}")
        #expect(line.id == .string("a"))
        let error = try #require(Self.error(of: line))
        #expect(error.code == .invalidParameter)
        #expect(error.remedy == .correctInput)
        #expect(error.message.contains(hint), "\(error.message)")
    }

    @Test func `a misspelt word of a megabyte gets a short answer`() throws {
        let word = String(repeating: "x", count: 1_000_000)
        for fields in ["\"request\":\"\(word)\"", "\"request\":\"quit\",\"\(word)\":1"] {
            let error = try #require(Self.error(of: Self.line("{\(fields)}")))
            #expect(error.message.contains("“xxxx"))
            #expect(error.message.utf8.count < 400)
        }
    }

    @Test func `an id can be any value, and a missing id is null`() {
        #expect(Self.line(#"{"request":"quit"}"#).id == .null)
        #expect(Self.line(#"{"id":[1],"request":"quit"}"#).id == .array([.int(1)]))
    }

    private static func error(of line: RequestLine) -> RoostError? {
        if case .failure(let error) = line.outcome { error } else { nil }
    }
}

struct ReplyLineTests {
    @Test func `an answer carries the request's id`() {
        #expect(
            ReplyLine.success(.int(3), ["n": 1]).text == #"{"id":3,"ok":true,"result":{"n":1}}"#)
        let error = RoostError(.networkError, remedy: .retry, message: "Later.")
        #expect(
            ReplyLine.failure(.string("a"), error).text
                == #"{"id":"a","ok":false,"error":"#
                + #"{"code":800120,"message":"Later.","remedy":"retry"}}"#)
    }

    @Test(arguments: [
        (RoostError.Remedy.none, "none"), (.retry, "retry"), (.signIn, "sign_in"),
        (.correctInput, "correct_input"), (.repairStorage, "repair_storage"),
    ])
    func `a remedy has a name of one word`(remedy: RoostError.Remedy, word: String) {
        #expect(remedy.name == word)
    }

    @Test func `a message shows its delivery state`() {
        var message = Message(
            delivery: .unsent("r1", .pending), channelURL: "c",
            createdAt: Timestamp(milliseconds: 5), sender: Sender(user: User(id: "ada")),
            content: .user(text: "hi\n"))
        #expect(
            JSONValue.message(message).text
                == #"{"id":null,"request_id":"r1","text":"hi\n","sender":"ada","created_at":5,"#
                + #""updated_at":null,"status":"pending"}"#)
        message.delivery = .unsent("r1", .failed(.ackTimeout))
        #expect(JSONValue.message(message)["error_code"] == .int(800_180))
        #expect(JSONValue.message(message)["status"] == "failed")
        message.delivery = .delivered(9, nil)
        message.updatedAt = Timestamp(milliseconds: 6)
        #expect(JSONValue.message(message)["id"] == .int(9))
        #expect(JSONValue.message(message)["request_id"] == .null)
        #expect(JSONValue.message(message)["updated_at"] == .int(6))
        #expect(JSONValue.message(message)["error_code"] == nil)
    }

    @Test func `a message shows its reactions, and none if there are none`() {
        var message = Message(
            delivery: .delivered(9, nil), channelURL: "c", createdAt: Timestamp(milliseconds: 5),
            content: .user(text: "hi"))
        #expect(JSONValue.message(message)["reactions"] == nil)
        message.details.reactions = [
            Reaction(key: "👍", userIDs: ["bob", "cy"], updatedAt: Timestamp(milliseconds: 6))
        ]
        #expect(
            JSONValue.message(message)["reactions"]?.text
                == #"[{"key":"👍","users":["bob","cy"]}]"#)
    }

    @Test func `typing and the read marks of others are events`() {
        let moment = Timestamp(milliseconds: 5)
        #expect(
            ReplyLine.live(.typing([User(id: "bo")], "c"), for: "ada")?.text
                == #"{"event":"typing","channel":"c","users":["bo"]}"#)
        #expect(
            ReplyLine.live(.read(User(id: "bo"), through: moment, "c"), for: "ada")?.text
                == #"{"event":"read","channel":"c","user":"bo","through":5}"#)
        #expect(ReplyLine.live(.read(User(id: "ada"), through: moment, "c"), for: "ada") == nil)
        #expect(ReplyLine.live(.storageRepaired("s"), for: "ada")?["sentence"] == "s")
    }

    @Test func `a file message shows its files and their addresses at the server`() {
        var film = FileContent(
            url: "file:///ada/outbox.files/1", name: "film.mp4", type: "video/mp4",
            size: ByteCount(bytes: 9), caption: "look")
        var message = Message(
            delivery: .unsent("r1", .pending), channelURL: "c",
            createdAt: Timestamp(milliseconds: 5), sender: nil, content: .file(film))
        #expect(JSONValue.message(message)["text"] == "look")
        #expect(
            JSONValue.message(message)["files"]?.text
                == #"[{"name":"film.mp4","type":"video/mp4","size":9,"url":null}]"#)
        film.url = "https://a/film"
        var second = film
        second.name = "second.mp4"
        film.files = [film, second]
        message.content = .file(film)
        let files = JSONValue.message(message)["files"]?.array ?? []
        #expect(files.map { $0["name"] } == ["film.mp4", "second.mp4"])
        #expect(files.map { $0["url"] } == ["https://a/film", "https://a/film"])
        message.content = .user(text: "words")
        #expect(JSONValue.message(message)["files"] == nil)
    }

    @Test func `an unknown channel is a refused opening`() {
        let error = RoostError(.channelNotFound, remedy: .correctInput, message: "No.")
        #expect(
            ReplyLine.refusal(opening: "c", error).text
                == #"{"event":"refused","channel":"c","kind":"open","message_id":null,"#
                + #""request_id":null,"error_code":900500,"held":null,"held_channel":null}"#)
    }

    @Test func `a channel shows its name, members, unread count and last message`() {
        var channel = GroupChannel(
            url: "c", name: "N", members: [Member(user: User(id: "ada"))], memberCount: 2,
            unreadMessageCount: 4)
        #expect(
            JSONValue.channel(channel).text
                == #"{"url":"c","name":"N","members":["ada"],"member_count":2,"unread":4,"#
                + #""last_message":null,"pending":[],"draft":null}"#)
        let change = PendingChange(
            id: "r", channel: "c", createdAt: Timestamp(milliseconds: 1), action: .channel(.unhide))
        let draft = MessageDraft(
            "d", at: DraftPlace("c", thread: 7), editedAt: Timestamp(milliseconds: 2))
        channel = channel.marked(ChannelMarks(changes: [change], draft: draft))
        let shown = JSONValue.channel(channel)
        #expect(shown["pending"] == ["unhide"] && shown["draft"] == "d")
        #expect(
            JSONValue.draft(draft).text
                == #"{"channel":"c","thread":7,"text":"d","edited_at":2}"#)
    }
}

struct LineSplitterTests {
    private static func texts(_ lines: [LineSplitter.Line]) -> [String] {
        lines.map { line in
            if case .text(let bytes) = line { String(decoding: bytes, as: UTF8.self) } else { "!" }
        }
    }

    @Test(arguments: [1, 2, 3, 100])
    func `lines are split correctly for any size of input chunks`(step: Int) {
        var splitter = LineSplitter(limit: 4)
        let bytes = Array("ab\n\ncd\r\n12345\nxy".utf8)
        var lines: [LineSplitter.Line] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            lines += splitter.split(bytes[start..<min(start + step, bytes.count)])
        }
        #expect(Self.texts(lines) == ["ab", "", "cd", "!"])
        #expect(splitter.finish().map { Self.texts([$0]) } == ["xy"])
        #expect(splitter.finish() == nil)
    }

    @Test func `a last line that is too long is reported at the end`() {
        var splitter = LineSplitter(limit: 2)
        #expect(splitter.split(Array("123".utf8)).isEmpty)
        #expect(splitter.finish() == .tooLong)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

struct ClientCommandTests {
    private func decode(_ text: String) throws -> ClientCommand {
        let commands = ClientCommand.decodeAll(text)
        try #require(commands.count == 1)
        return try commands[0].get()
    }

    static let commands: [ClientCommand] = [
        .ping(Ping(id: 5, isActive: false)), .read("g", "r"), .read("g", nil),
        .typingStart("g", time: Timestamp(milliseconds: 4)),
        .typingEnd("g", time: Timestamp(milliseconds: 4)), .messageAcknowledgement("g", 9),
        .refreshSession(SessionRefresh(requestID: "r", token: "t", isExpiring: true)),
        .enter("o", "r"), .exit("o", nil),
        .vote(VoteCommand(channelURL: "g", pollID: 7, optionIDs: [1, 2], requestID: "r")),
        .unknown(Frame.Command("NEWC"), "r"),
        .message(
            MessageCommand(
                channelURL: "g", requestID: "r", content: .user(text: "hi\n\"there\""), data: "d",
                customType: "c", mention: Mention(userIDs: ["a"]),
                metaArrays: [MetaArray(key: "k", values: ["v"])], parentID: 3,
                isReplyToChannel: true, isSilent: true)),
        .message(
            MessageCommand(
                channelURL: "g", requestID: "r",
                content: .file(
                    FileContent(
                        url: "u", name: "n", type: "t", size: ByteCount(bytes: 7), caption: "c")))),
        .edit(EditCommand(channelURL: "g", messageID: 4, requestID: "r", text: "new")),
        .edit(
            EditCommand(
                channelURL: "g", messageID: 4, requestID: "r", isFile: true, data: "d",
                customType: "c", mentionKind: .users, mentionedUserIDs: ["a"],
                metaArrays: .init(
                    arrays: [MetaArray(key: "k", values: ["v"])], mode: .remove, isUpsert: true))),
    ]

    @Test(arguments: commands)
    func `every command survives encoding`(command: ClientCommand) throws {
        #expect(try decode(command.encoded) == command)
    }

    @Test
    func `a message decodes from other clients' spelling`() throws {
        let command = try decode(
            #"MESG{"channel_url":"g","message":"hi","mention_type":"users","mentioned_user_ids":[],"#
                + #""reply_to_channel":false,"req_id":"rq-1","pin_message":false,"created_at":1}"#)
        #expect(
            command
                == .message(
                    MessageCommand(channelURL: "g", requestID: "rq-1", content: .user(text: "hi"))))
        #expect(command.requestID == "rq-1")
    }

    @Test
    func `an old client's file has its data under another name`() throws {
        let command = try decode(
            #"FILE{"channel_url":"g","url":"u","name":"n","type":"image/png","size":"12","custom":"d","#
                + #""thumbnails":[{"w":1}],"req_id":"10"}"#)
        guard case .message(let message) = command else { return #expect(Bool(false)) }
        #expect(message.data == "d")
        #expect(message.unknownFields["thumbnails"] == #"[{"w":1}]"#)
    }

    @Test
    func `a message of several files has the address of the first one`() throws {
        let command = try decode(
            #"FILE{"channel_url":"g","files":[{"url":"u","file_name":"n","file_type":"image/png","#
                + #""file_size":12},{"url":"v"}],"req_id":"10"}"#)
        guard case .message(let message) = command else { return #expect(Bool(false)) }
        #expect(
            message.content
                == .file(
                    FileContent(
                        url: "u", name: "n", type: "image/png", size: ByteCount(bytes: 12))))
        #expect(message.unknownFields["files"]?.contains(#"{"url":"v"}"#) == true)
    }

    @Test(arguments: [
        (#"MESG{"message":"x","req_id":"1"}"#, "channel_url"),
        (#"MESG{"channel_url":"g"}"#, "message"),
        (#"FILE{"channel_url":"g"}"#, "url"), (#"MEDI{"channel_url":"g","req_id":"1"}"#, "msg_id"),
        (#"READ{"req_id":"1"}"#, "channel_url"), (#"MACK{"channel_url":"g"}"#, "msg_id"),
    ])
    func `a missing field of a command is named in the error`(text: String, path: String) {
        let error = #expect(throws: WireError.self) { try decode(text) }
        #expect(error?.kind == .missing)
        #expect(error?.path == path)
    }

    @Test(arguments: [
        (#"{"expiring_session":1,"req_id":"r"}"#), (#"{"expiring_session":"True","req_id":"r"}"#),
    ])
    func `a request for a new key decodes from clients' spelling`(payload: String) throws {
        #expect(
            try decode("LOGI" + payload)
                == .refreshSession(SessionRefresh(requestID: "r", token: nil, isExpiring: true)))
    }
}

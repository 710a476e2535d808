// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire

/// The decoders of network data.
enum WireTargets {
    static let all: [FuzzTarget] =
        [json, serverFrames, clientFrames, apiCalls, queries, forms, serialized, handshakes]
        + answers

    private static let json = FuzzTarget(
        "json", samples: FuzzSamples.objects + FuzzSamples.texts
    ) { input in
        guard let value = try? JSONValue(parsing: input.bytes) else { return nil }
        let again = try? JSONValue(parsing: Array(value.text.utf8))
        return again == value ? nil : "What was written is read as something else."
    }

    private static let serverFrames = FuzzTarget(
        "server-frames", samples: FuzzSamples.serverFrames
    ) { input in
        for case .success(let event) in ServerEvent.decodeAll(input.text) {
            _ = ServerEvent.decodeAll(event.encoded)
        }
        return nil
    }

    private static let clientFrames = FuzzTarget(
        "client-frames", samples: FuzzSamples.clientFrames
    ) { input in
        for frame in Frame.split(input.text) { _ = try? frame.get().requestID }
        for case .success(let command) in ClientCommand.decodeAll(input.text) {
            _ = ClientCommand.decodeAll(command.encoded)
        }
        return nil
    }

    private static let apiCalls = FuzzTarget(
        "api-calls", samples: FuzzSamples.calls,
        words: FuzzWords.json + FuzzWords.bytes(["%", "&"])
    ) { input in
        let parts = input.text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3,
            let request = try? APIRequest(
                method: String(parts[0]), target: "/v3/" + parts[1], body: Array(parts[2].utf8))
        else { return nil }
        _ = request.target
        _ = APICall.pattern(of: request)
        _ = try? APICall(decoding: request)
        guard let fields = try? RequestFields(request, pathParts: ["g", request.path.last ?? ""])
        else { return nil }
        _ = try? FingerprintMessages.stretches(fields)
        for name in ["message_ts", "token", "limit", "seconds", "close_at", "custom_types"] {
            _ = try? fields.keptMoment(name)
            _ = try? fields.keptSeconds(name)
            _ = try? fields.moment(name)?.advanced(by: -1)
            _ = try? fields.int(name, in: 0...Int.max)
            _ = try? fields.users(name)
        }
        _ = try? fields.pathMessageID()
        return nil
    }

    private static let queries = FuzzTarget(
        "queries", samples: ["a=b&c=d%20e", "message_ts=1&reverse=true", "=&&a&%41=%C3%A9+x"],
        words: FuzzWords.bytes(["&", "=", "+", "%", "%zz", "%00", "%2", "\u{7f}", "é"])
    ) { input in
        let items = QueryItem.parse(input.text)
        return QueryItem.parse(QueryItem.text(items)) == items
            ? nil : "A query that was written means something else."
    }

    private static let forms = FuzzTarget(
        "forms", samples: FuzzSamples.forms,
        words: FuzzWords.bytes(["\r\n", "\r\n--B", "--B--", "\r", "-", ":", ";", "\"", "name="])
    ) { input in
        let one = form([input.bytes])
        return form(input.pieces()) == one ? nil : "A form depends on how it is cut."
    }

    /// Describes the contents of a form; nil for a wrong or incomplete one.
    private static func form(_ pieces: [[UInt8]]) -> String? {
        var text = ""
        do throws(ServerError) {
            var reader = try MultipartReader(contentType: "multipart/form-data; boundary=B")
            for piece in pieces {
                for event in try reader.read(piece) {
                    switch event {
                    case .part(let part): text += "\n\(part)\n"
                    case .bytes(let bytes):
                        text += String(bytes.map { Character(Unicode.Scalar($0)) })
                    }
                }
            }
            return reader.isWhole ? text : nil
        } catch {
            return nil
        }
    }

    private static let serialized = FuzzTarget(
        "serialized", samples: FuzzSamples.serialized, words: FuzzWords.json
    ) { input in
        // The checksum is corrected as well, or next to nothing would be decoded.
        for bytes in [input.bytes, SerializedObject.summed(input.bytes)] {
            guard let object = SerializedObject(bytes) else { continue }
            guard SerializedObject(object.bytes) != nil else {
                return "An object that was read is written as one that cannot be read."
            }
        }
        return nil
    }

    private static let handshakes = FuzzTarget(
        "handshakes",
        samples: [
            "p=iOS&pv=1&sv=3&ai=APP&user_id=ann&access_token=t&expiring_session=1",
            "SBCSKIT,%7B%22user_id%22%3A%22ann%22%2C%22access_token%22%3A%22t%22%7D",
        ], words: FuzzWords.json + FuzzWords.bytes(["%7B", "%22", "&", "=", "%"])
    ) { input in
        let handshake = Handshake(query: QueryItem.parse(input.text), subprotocols: [input.text])
        _ = (handshake.acceptedSubprotocol, handshake.applicationID, handshake.userID)
        _ = (handshake.sessionKey, handshake.token, handshake.nickname)
        return nil
    }

    // MARK: Answers

    private static let answers: [FuzzTarget] = [
        answer(ListMessages.self, "messages", FuzzSamples.messagePage),
        answer(MessageChangeLog.self, "message-changes", FuzzSamples.messageChanges),
        answer(MessageGap.self, "message-gap", FuzzSamples.messageGap),
        answer(SendMessage.self, "message", FuzzSamples.message),
        answer(CreateChannel.self, "channel", FuzzSamples.channel),
        answer(ListMyChannels.self, "channels", FuzzSamples.channelPage),
        answer(ChannelChangeLog.self, "channel-changes", FuzzSamples.channelChanges),
        answer(ListMembers.self, "members", FuzzSamples.memberPage),
        answer(ListRestricted.self, "restricted", FuzzSamples.restrictedPage),
        answer(ListPublicChannels.self, "public-channels", FuzzSamples.channelPage),
        answer(ListOpenChannels.self, "open-channels", FuzzSamples.openChannelPage),
        answer(GetOpenChannel.self, "open-channel", FuzzSamples.openChannel),
        answer(ListParticipants.self, "participants", FuzzSamples.participantPage),
        answer(ListPeople.self, "people", FuzzSamples.memberPage),
        answer(ListUsers.self, "users", FuzzSamples.memberPage),
        answer(CreateUser.self, "user", FuzzSamples.user),
        answer(RefreshSessionKey.self, "session-key", #"{"key":"k","new_key":"n"}"#),
        answer(MarkAsRead.self, "mark-as-read", FuzzSamples.readMark),
        answer(FingerprintMessages.self, "fingerprints", FuzzSamples.fingerprints),
        answer(CountMessages.self, "count", #"{"total":5}"#),
        answer(
            CountUnread.self, "unread",
            #"{"unread_count":5,"group_channel_unread_message_count":1}"#),
        answer(CountUnreadChannels.self, "unread-channels", #"{"unread_count":5}"#),
        answer(AskMute.self, "mute", #"{"is_muted":true,"remaining_duration":5,"end_at":7}"#),
        answer(UploadFile.self, "upload", FuzzSamples.upload),
        answer(ReactToMessage.self, "reaction", FuzzSamples.reaction),
        answer(MetadataQuestion.self, "metadata", #"{"a":"b","c":"d","metadata":{"e":"f"}}"#),
        answer(CounterQuestion.self, "counters", #"{"a":1,"b":-1}"#),
    ]

    /// Returns the decoder of one answer, as a success and as a refusal.
    private static func answer<Q: Question>(
        _: Q.Type, _ name: String, _ sample: String
    ) -> FuzzTarget {
        let refusal = #"{"error":true,"code":400201,"message":"No."}"#
        return FuzzTarget("answer-" + name, samples: [sample, sample, refusal]) { input in
            for status in [200, 400] {
                _ = try? Q.decode(APIResponse(status: status, body: input.bytes))
            }
            return nil
        }
    }
}

extension SerializedObject {
    /// Returns the bytes with a correct checksum.
    fileprivate static func summed(_ bytes: [UInt8]) -> [UInt8] {
        let body = Array(bytes.dropLast(4))
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
        }
        sum = ~sum
        return body + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }
}

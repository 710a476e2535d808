// SPDX-License-Identifier: Apache-2.0

/// Metadata and counters of channels, metadata of users, meta arrays of messages.
enum DataChecks {
    static let group = CheckGroup(
        "data", "Metadata and counters", isRequired: false,
        [
            Check(
                "data.channel", "3.13",
                "Metadata of a channel is made, read, changed and deleted; SYEV 11100 announces it.",
                channel),
            Check(
                "data.times", "3.13", "With include_ts the metadata stands beside a time.", times),
            Check(
                "data.counters", "3.13",
                "Counters are set, increased and decreased; SYEV 11200 announces it.", counters),
            Check("data.user", "3.1", "Metadata of a user is made, read and deleted.", user),
            Check(
                "data.arrays", "3.7", "Meta arrays of a message grow and shrink.", arrays),
        ])

    private static func channel(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let path = room.path + "/metadata"
        try await scene.call("POST", path, [:], ["metadata": ["a": "1", "b": "2"]])
        let event = try await ada.hearEvent(11_100, in: room)["data"]
        try expect(event["created"], is: ["a": "1", "b": "2"], "created of the event")
        try expect(try await ada.get(path), is: ["a": "1", "b": "2"], "the metadata")
        try await scene.call("PUT", path, [:], ["metadata": ["a": "3", "c": "4"], "upsert": true])
        let change = try await ada.hearEvent(11_100, in: room)["data"]
        try expect(change["created"], is: ["c": "4"], "created of the event of a change")
        try expect(change["updated"], is: ["a": "3"], "updated of the event of a change")
        try expect(
            try await ada.get(path), is: ["a": "3", "b": "2", "c": "4"], "the changed metadata")
        try await scene.call("DELETE", path + "/b")
        let deletion = try await ada.hearEvent(11_100, in: room)["data"]
        try expect(deletion["deleted"], is: ["b"], "deleted of the event of a deletion")
        try expect(try await ada.get(path), is: ["a": "3", "c": "4"], "the rest")
        let view = try await ada.view(room, ["show_metadata": true])
        try expect(view["metadata"], is: ["a": "3", "c": "4"], "the metadata at the channel")
    }

    private static func times(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let path = room.path + "/metadata"
        try await scene.call("POST", path, [:], ["metadata": ["a": "1"]])
        let answer = try await ada.get(path, ["include_ts": true])
        try expect(answer, has: ["ts": .time, "metadata": .object], "the answer")
        try expect(answer["metadata"], is: ["a": "1"], "the metadata")
    }

    private static func counters(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let path = room.path + "/metacounter"
        try await scene.call("POST", path, [:], ["metacounter": ["n": 5]])
        let event = try await ada.hearEvent(11_200, in: room)["data"]
        try expect(event["created"], is: ["n": 5], "created of the event")
        for (mode, value, expected) in [
            ("increase", 3, 8), ("decrease", 10, -2), ("set", 7, 7),
        ] as [(String, Int64, Int64)] {
            let answer = try await scene.call(
                "PUT", path, [:],
                ["metacounter": ["n": .int(value)], "mode": .text(mode), "upsert": true])
            try expect(answer, is: ["n": .int(expected)], "the counter after \(mode)")
            let change = try await ada.hearEvent(11_200, in: room)["data"]
            try expect(
                change["updated"], is: ["n": .int(expected)], "updated of the event of \(mode)")
        }
        try expect(try await ada.get(path), is: ["n": 7], "the counter")
    }

    private static func user(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let path = ada.path + "/metadata"
        try await ada.call("POST", path, [:], ["metadata": ["color": "red"]])
        try expect(try await ada.get(path), is: ["color": "red"], "the metadata")
        try expect(
            try await ada.get(ada.path)["metadata"], is: ["color": "red"], "metadata of the user")
        try await ada.call("DELETE", path + "/color")
        try expect(try await ada.get(path), is: [:], "the rest")
    }

    private static func arrays(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let sent = try await ada.send("x", in: room)
        let path = "\(room.path)/messages/\(sent.id)/sorted_metaarray"
        try await ada.call(
            "POST", path, [:], ["sorted_metaarray": [["key": "k", "value": ["1"]]]])
        try await ada.call(
            "PUT", path, [:],
            ["sorted_metaarray": [["key": "k", "value": ["2"]]], "mode": "add", "upsert": true])
        let kept = try await ada.get(
            "\(room.path)/messages/\(sent.id)", ["with_sorted_meta_array": true])
        try expect(
            kept["sorted_metaarray"], is: [["key": "k", "value": ["1", "2"]]], "sorted_metaarray")
        try await ada.call("DELETE", path, ["keys": "k"])
        let rest = try await ada.get(
            "\(room.path)/messages/\(sent.id)", ["with_sorted_meta_array": true])
        try expect(
            rest["sorted_metaarray"].elements.isEmpty, "no meta array",
            seen: rest["sorted_metaarray"])
    }
}

// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The reports of users, kept for the platform; a report has no other effect.
struct Reports: ServerPart {
    let context: ServerContext

    /// Stores a report, or answers the platform with the reports.
    func report(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let fields = call.fields
        if fields.pathParts.isEmpty { return try await listReports(fields) }
        let categories = ["suspicious", "harassing", "spam", "inappropriate"]
        let category = try fields.needed("report_category")
        guard categories.contains(category) else {
            throw ServerError(
                .invalidValue, "A report is one of: \(categories.joined(separator: ", ")).")
        }
        // The reporter is the caller, even if the body names another user.
        let reporter = try call.actor()
        let note = fields.string("report_description") ?? ""
        for id in [reporter, fields.string("offending_user_id").map { UserID($0) }] {
            if let id { try configuration.limits.check(user: id) }
        }
        try configuration.limits.check(text: note, "The description")
        var body: JSONValue = [
            "report_category": .string(category), "reporting_user_id": .string(reporter.rawValue),
            "report_description": .string(note), "created_at": .int(world.now().milliseconds),
        ]
        var url: ChannelURL?
        if call.isAboutUser {
            let offender = try await existingUser(call.subject).user.id
            body["offending_user_id"] = .string(offender.rawValue)
        } else {
            url = call.channelURL
            body["channel_url"] = .string(call.channelURL.rawValue)
            if let id = fields.string("offending_user_id") {
                body["offending_user_id"] = .string(id)
            }
        }
        if call.detail != nil {
            let message = try call.standing.namedMessage()
            body["message_id"] = .int(message.messageID?.rawValue ?? 0)
            // The message may be edited or deleted before the platform reads the report.
            body["message"] = .string(message.text)
            if let sender = message.sender {
                body["offending_user_id"] = .string(sender.user.id.rawValue)
            }
        }
        let count = try await ask(try await storage.documentCount(.report, of: reporter))
        try limits.check(count: count + 1, "reports of one user", atMost: limits.reports)
        try await ask(
            try await storage.addDocument(Document(.report, of: reporter, in: url, body: body)))
        return .empty
    }

    private func listReports(_ fields: RequestFields) async throws(ServerError) -> APIResponse {
        let limit = try fields.int("limit", in: 1...100) ?? 20
        let start = try fields.int64("token") ?? 0
        let found = try await ask(
            try await storage.documents(.report, of: nil, in: nil, after: start, limit: limit + 1))
        let rows = found.prefix(limit).map { (id: $0.id, text: $0.body.text) }
        let page = rows.prefix(within: configuration.limits.answerBytes, \.text.utf8.count)
        let next = found.count > page.count ? page.last.map { String($0.id) } ?? "" : ""
        return APIResponse { writer in
            writer.array("report_logs") { writer in
                for row in page { writer.raw(row.text) }
            }
            writer.field("next", next)
        }
    }
}

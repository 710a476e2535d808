// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The server as an app's own backend sees it.
struct Platform {
    let port: Int

    /// Makes a platform call.
    @discardableResult
    func call(
        _ method: String, _ path: String, _ body: [String: Any] = [:]
    ) async throws -> [String: Any] {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/v3/\(path)"))
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("secret", forHTTPHeaderField: "Api-Token")
        if method != "GET" {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect((response as? HTTPURLResponse)?.statusCode == 200, "\(method) \(path): \(answer)")
        return answer
    }

    func get(_ path: String) async throws -> [String: Any] { try await call("GET", path) }

    /// Returns a text of each object in a list.
    func texts(_ path: String, _ list: String, _ field: String) async throws -> [String] {
        let answer = try await get(path)
        let objects = try #require(answer[list] as? [[String: Any]], "\(path): \(answer)")
        return objects.compactMap { $0[field] as? String }
    }

    /// Returns the bytes of an uploaded file.
    func file(_ address: String) async throws -> Data {
        try await URLSession.shared.data(from: try #require(URL(string: address))).0
    }

    /// Creates a user's token with an end.
    func token(of user: String, for duration: TimeInterval) async throws -> String {
        let end = Date().addingTimeInterval(duration).timeIntervalSince1970
        let answer = try await call(
            "POST", "users/\(user)/token", ["expires_at": Int64(end * 1_000)])
        return try #require(answer["token"] as? String)
    }
}

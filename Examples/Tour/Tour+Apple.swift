// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

#if canImport(Network)
import Network
#endif
#if canImport(Security)
import Security
#endif

// The code for Apple platforms, of which Linux compiles a part.

extension Tour {
    static func placing(_ settings: inout Configuration) throws {
        #if canImport(Darwin)
        var folder = URL.applicationSupportDirectory.appending(path: "chat")
        #else
        var folder = FileManager.default.temporaryDirectory.appending(path: "chat")
        #endif
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try folder.setResourceValues(values)
        settings.cache = .folder(at: folder)
    }

    #if canImport(Network)
    static func watchingTheNetwork(_ client: ChatClient) async {
        for await path in NWPathMonitor() {
            await client.networkChanged(isUp: path.status == .satisfied)
        }
    }
    #endif
}

#if canImport(Security)
/// Returns the key of this app's files, which the first call makes.
func keyFromTheKeychain() throws -> [UInt8] {
    let item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "chat", kSecAttrAccount: "key",
    ]
    var query = item
    query[kSecReturnData] = true
    var found: CFTypeRef?
    var status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
    if status == errSecSuccess, let data = found as? Data { return [UInt8](data) }
    let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    var new = item
    new[kSecValueData] = Data(key)
    new[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
    status = unsafe SecItemAdd(new as CFDictionary, nil)
    guard status == errSecSuccess else {
        throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
    }
    return key
}
#endif

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A temporary authority and a server's certificate, made by the `openssl` tool and removed at the
/// end.
package final class TemporaryCertificates: Sendable {
    package let folder: String
    package var authority: String { folder + "/ca.pem" }
    package var certificate: String { folder + "/server.pem" }
    package var key: String { folder + "/server.key" }

    package struct ToolFailed: Error {}

    package init(names: String = "DNS:localhost,IP:127.0.0.1") throws {
        var template = Array("/tmp/roost-tls-XXXXXX".utf8CString)
        // SAFETY: mkdtemp writes into the array.
        guard let path = unsafe mkdtemp(&template) else { throw ToolFailed() }
        folder = unsafe String(cString: path)
        let curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        for command in [
            "req -x509 \(curve) -keyout ca.key -out ca.pem -days 2 -subj '/CN=Roost test authority'",
            "req \(curve) -keyout server.key -out server.csr -subj '/CN=Roost test server'",
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -set_serial 2 -days 2 "
                + "-out server.pem -extfile names",
        ] {
            let script =
                "cd '\(folder)' && echo 'subjectAltName=\(names)' > names "
                + "&& openssl \(command) >/dev/null 2>&1"
            guard unsafe system(script) == 0 else { throw ToolFailed() }
        }
    }

    deinit { _ = unsafe system("rm -rf '\(folder)'") }
}

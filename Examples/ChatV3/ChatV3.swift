// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// A chat app without a window, written against the v3 names and the sync manager's only.
///
/// Each file is an area of the app with its commands. `Screen` reads a command a line and prints
/// the lines that a window would show.
@main
enum ChatV3 {
    @MainActor static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            print("usage: ChatV3 SERVER USER CACHE-FOLDER")
            exit(2)
        }
        SBDMain.initWithApplicationId("demo")
        SBDMain.setServer(arguments[1])
        SBDMain.setCacheFolder(arguments[3])

        let screen = Screen()
        let list = ChannelList(screen)
        let chat = Chat(list, screen)
        let session = Session(user: arguments[2], screen)
        session.userWillChange = {
            chat.close()
            list.close()
        }
        let areas: [Any] = [
            Threads(chat, screen), Files(chat, screen), Reactions(chat, screen),
            Moderation(chat, screen), Push(chat, screen), UnreadCounts(screen), Profile(screen),
            Search(chat, screen), OpenChannels(screen),
        ]
        screen.areas = areas + [session]
        await screen.run()
    }
}

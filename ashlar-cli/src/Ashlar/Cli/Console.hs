{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Cli.Console
-- Description : What the tool says, and how it ends
module Ashlar.Cli.Console
  ( Handles,
    handleErr,
    handleFlush,
    handleStops,
    newHandles,
    standardHandles,
    toMessages,
    stopping,

    -- * Output
    putBytes,
    putLine,
    withLines,
    putLines,
    putText,
    say,
    complain,
    usage,
    isWanted,
    unlessLost,
    ResultsLost,
    ending,
    oneLine,
    count,

    -- * Colours
    Colour (..),
    inColour,

    -- * Progress
    Progress,
    withProgress,
    progress,
    isWatched,

    -- * Ends
    Failure (..),
    failed,
    damaged,
  )
where

import Ashlar.Builder (Builder, char7, toLazyByteString)
import Control.Exception (Exception (..), catch, finally, onException, throwIO)
import Control.Monad (when)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Char (isPrint, showLitChar)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Maybe (isNothing)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import GHC.IO.Exception (IOErrorType (ResourceVanished), IOException (..))
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.IO

-- | Where the tool writes.
data Handles = Handles
  { -- | Results.
    handleOut :: Handle,
    -- | Messages.
    handleErr :: Handle,
    -- | Are results shown in colours?
    handleColours :: Bool,
    -- | Is there somebody who wants to see progress among the messages?
    handleProgress :: Bool,
    -- | What is done before a message, so that results come first, and before the command waits.
    handleFlush :: IO (),
    -- | Why results cannot be written any more. See Note [Results that cannot be written].
    handleLost :: IORef (Maybe IOException),
    -- | Is the command about nothing but its results?
    handleStops :: Bool
  }

-- Note [Results that cannot be written]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A disk may be full, the standard output may be closed, and the program at the other end of a pipe
-- may have read enough. Buffers decide when that is noticed: at once for much output, at the end
-- for some lines. So the first failure is noted, what follows it is dropped, and 'ending' makes
-- the exit status of it. What a command does besides, such as to write a file, does not depend on
-- somebody who reads what it says about that.
--
-- A command that does nothing else, 'stopping', ends there: its input may be long. If that is
-- because nobody reads any more, its status is 0.
--
-- Messages that cannot be written are lost. The exit status is still right.

-- | Where to write, given the handles of results and of messages.
newHandles ::
  -- | For results. Its buffer is flushed before a message, and at the end.
  Handle ->
  -- | For messages.
  Handle ->
  -- | Are results shown in colours?
  Bool ->
  -- | Is there somebody who wants to see progress among the messages?
  Bool ->
  IO Handles
newHandles out err colours watched = do
  lost <- newIORef Nothing
  let hs = Handles out err colours watched (written hs (hFlush out)) lost False
  pure hs

-- | Those of the process. There are colours on a terminal, unless @NO_COLOR@ is set or @TERM@ is
-- @dumb@.
standardHandles :: IO Handles
standardHandles = do
  hSetBinaryMode stdout True
  hSetBuffering stdout (BlockBuffering (Just 65536))
  terminal <- hIsTerminalDevice stdout
  watched <- hIsTerminalDevice stderr
  plain <- lookupEnv "NO_COLOR"
  kind <- lookupEnv "TERM"
  newHandles stdout stderr (terminal && maybe True null plain && kind /= Just "dumb") watched

-- | What a command says goes to the messages, because its results are bytes.
toMessages :: Handles -> IO Handles
toMessages hs = newHandles (handleErr hs) (handleErr hs) False (handleProgress hs)

-- | For a command that ends where its results cannot be written. They show its progress.
stopping :: Handles -> Handles
stopping hs = hs {handleStops = True, handleProgress = False}

-- Write results, unless that has failed before. If it is interrupted, the Handle would write the
-- same bytes again.
written :: Handles -> IO () -> IO ()
written hs act = do
  wanted <- isWanted hs
  when wanted $ (act `onException` lost (userError "interrupted")) `catch` lost
  where
    lost = writeIORef (handleLost hs) . Just

-- | Can results still be written?
isWanted :: Handles -> IO Bool
isWanted hs = isNothing <$> readIORef (handleLost hs)

-- | Ends a command that is 'stopping'.
data ResultsLost = ResultsLost
  deriving stock (Show)

instance Exception ResultsLost

-- | Run a command to its end, and write what is left of its results. The exit status is that of the
-- command, or 2 if results could not be written.
ending :: Handles -> IO ExitCode -> IO ExitCode
ending hs act = do
  code <- act `catch` \ResultsLost -> pure ExitSuccess
  handleFlush hs
  lost <- readIORef (handleLost hs)
  case lost of
    Just e | ioe_type e /= ResourceVanished -> do
      complain hs (displayException e {ioe_handle = Nothing, ioe_filename = Just "standard output"})
      pure (ExitFailure 2)
    -- Nobody reads any more.
    _ -> pure code

-- | Bytes of the result.
putBytes :: Handles -> B.ByteString -> IO ()
putBytes hs bytes = do
  bytes `seq` written hs (B.hPut (handleOut hs) bytes)
  unlessLost hs

-- | A command that is 'stopping' ends if its results cannot be written.
unlessLost :: Handles -> IO ()
unlessLost hs = do
  wanted <- isWanted hs
  when (handleStops hs && not wanted) $ throwIO ResultsLost

-- | A line of the result, which may be long: names of a schema are repeated in it.
putLine :: Handles -> Builder -> IO ()
putLine hs b = mapM_ (putBytes hs) (L.toChunks (toLazyByteString (b <> char7 '\n')))

-- | Put many lines, each with its end, in few steps. They come before any message. Give the handles
-- to what may complain.
withLines :: Handles -> (Handles -> (B.ByteString -> IO ()) -> IO a) -> IO a
withLines hs act = do
  pending <- newIORef (Pending 0 [])
  let settle hs' = do
        Pending _ ls <- readIORef pending
        writeIORef pending (Pending 0 [])
        putBytes hs' (B.concat (reverse ls))
      put line = do
        Pending n ls <- readIORef pending
        writeIORef pending $! Pending (n + B.length line) (line : ls)
        when (n > 32768) $ settle hs
  act hs {handleFlush = settle (hs {handleStops = False}) >> handleFlush hs} put
    `finally` settle (hs {handleStops = False})

-- How many bytes of lines, and the lines, the last one first.
data Pending = Pending !Int [B.ByteString]

-- | Lines of the result, which are safe to show.
putLines :: Handles -> [Text] -> IO ()
putLines hs ls = putBytes hs (T.encodeUtf8 (T.unlines ls))

-- | A text as a result.
putText :: Handles -> String -> IO ()
putText hs = putBytes hs . textBytes

-- In UTF-8, whatever the encoding of the handle. What is not printable is escaped, but for ends of
-- lines.
textBytes :: String -> B.ByteString
textBytes = T.encodeUtf8 . T.pack . harmless

-- | A line of the result. What is not printable is escaped, and so are ends of lines.
say :: Handles -> String -> IO ()
say hs s = putLines hs [T.pack (oneLine s)]

-- | A message in one line. What is not printable is escaped, and so are ends of lines: names in
-- untrusted files may have some, and look like messages of the tool.
complain :: Handles -> String -> IO ()
complain hs s = usage hs ("ashlar: " ++ oneLine s)

-- | A message of several lines, such as how to use a command.
usage :: Handles -> String -> IO ()
usage hs s = do
  handleFlush hs
  message (B.hPut (handleErr hs) (textBytes (s ++ "\n")))

-- Write a message, if that is possible.
message :: IO () -> IO ()
message act = act `catch` ignored
  where
    ignored :: IOException -> IO ()
    ignored _ = pure ()

-- | Escape what could steer a terminal, but for ends of lines.
harmless :: String -> String
harmless = concatMap (\c -> if c == '\n' then [c] else oneLine [c])

-- | Escape what could steer a terminal, and ends of lines.
oneLine :: String -> String
oneLine = concatMap (\c -> if isPrint c then [c] else showLitChar c "")

-- | A number of things.
count :: Int64 -> String -> String
count n what = show n ++ " " ++ what ++ (if n == 1 then "" else "s")

-- | The colours that are used.
data Colour = Red | Green | Yellow
  deriving stock (Eq, Show)

-- | Show a text in a colour.
inColour :: Handles -> Colour -> Text -> Text
inColour hs colour text
  | handleColours hs = T.concat [T.pack ("\ESC[" ++ code ++ "m"), text, T.pack "\ESC[0m"]
  | otherwise = text
  where
    code = case colour of
      Red -> "31"
      Green -> "32"
      Yellow -> "33"

-- | Says how far something has got.
data Progress = Progress Handles Int64 (IORef Int64)

-- | Show progress, given how much there is to do.
withProgress :: Handles -> Int64 -> (Progress -> IO a) -> IO a
withProgress hs total act = do
  ref <- newIORef 0
  act (Progress hs total ref) `finally` do
    shown <- readIORef ref
    when (shown > 0) $ message (hPutStr (handleErr hs) "\r      \r" >> hFlush (handleErr hs))

-- | Is there somebody who wants to see progress?
isWatched :: Handles -> Bool
isWatched = handleProgress

-- | As much is done.
progress :: Progress -> Int64 -> IO ()
progress (Progress hs total ref) done = when (handleProgress hs && total > 8388608) $ do
  shown <- readIORef ref
  let percent = done `div` max 1 (total `div` 100)
  when (percent > shown) $ do
    writeIORef ref percent
    message $
      hPutStr (handleErr hs) ("\r" ++ show (min 100 percent) ++ " %") >> hFlush (handleErr hs)

-- | Ends the tool with a message.
data Failure = Failure ExitCode String
  deriving stock (Show)

instance Exception Failure

-- | What was asked for cannot be done.
failed :: String -> IO a
failed = throwIO . Failure (ExitFailure 2)

-- | The input is damaged.
damaged :: String -> IO a
damaged = throwIO . Failure (ExitFailure 1)

{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Cli.Console
-- Description : What the tool says, and how it ends
module Ashlar.Cli.Console
  ( Handles (..),
    standardHandles,

    -- * Output
    putLine,
    withLines,
    putLines,
    putText,
    say,
    complain,
    oneLine,
    count,

    -- * Colours
    Colour (..),
    inColour,

    -- * Progress
    Progress,
    withProgress,
    progress,

    -- * Ends
    Failure (..),
    failed,
    damaged,
  )
where

import Ashlar.Builder (Builder, char7, toStrictByteString)
import Control.Exception (Exception, finally, throwIO)
import Control.Monad (when)
import qualified Data.ByteString as B
import Data.Char (isPrint, showLitChar)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int64)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..))
import System.IO

-- | Where the tool writes.
--
-- @since 0.1.0.0
data Handles = Handles
  { -- | Results.
    handleOut :: Handle,
    -- | Messages.
    handleErr :: Handle,
    -- | Are results shown in colours?
    handleColours :: Bool,
    -- | Is there somebody who wants to see progress among the messages?
    handleProgress :: Bool,
    -- | What is done before a message, so that results come first.
    handleFlush :: IO ()
  }

-- | Those of the process. There are colours on a terminal, unless @NO_COLOR@ is set or @TERM@ is
-- @dumb@.
--
-- @since 0.1.0.0
standardHandles :: IO Handles
standardHandles = do
  hSetBinaryMode stdout True
  hSetBuffering stdout (BlockBuffering (Just 65536))
  terminal <- hIsTerminalDevice stdout
  watched <- hIsTerminalDevice stderr
  plain <- lookupEnv "NO_COLOR"
  kind <- lookupEnv "TERM"
  pure
    Handles
      { handleOut = stdout,
        handleErr = stderr,
        handleColours = terminal && maybe True null plain && kind /= Just "dumb",
        handleProgress = watched,
        handleFlush = hFlush stdout
      }

-- | A line of the result.
--
-- @since 0.1.0.0
putLine :: Handles -> Builder -> IO ()
putLine hs b = B.hPut (handleOut hs) (toStrictByteString (b <> char7 '\n'))

-- | Put many lines, each with its end, in few steps. They come before any message. Give the handles
-- to what may complain.
--
-- @since 0.1.0.0
withLines :: Handles -> (Handles -> (B.ByteString -> IO ()) -> IO a) -> IO a
withLines hs act = do
  pending <- newIORef (Pending 0 [])
  let settle = do
        Pending _ ls <- readIORef pending
        writeIORef pending (Pending 0 [])
        B.hPut (handleOut hs) (B.concat (reverse ls))
      put line = do
        Pending n ls <- readIORef pending
        writeIORef pending $! Pending (n + B.length line) (line : ls)
        when (n > 32768) settle
  act hs {handleFlush = settle >> handleFlush hs} put `finally` settle

-- How many bytes of lines, and the lines, the last one first.
data Pending = Pending !Int [B.ByteString]

-- | Lines of the result, which are safe to show.
--
-- @since 0.1.0.0
putLines :: Handles -> [Text] -> IO ()
putLines hs ls = B.hPut (handleOut hs) (T.encodeUtf8 (T.unlines ls))

-- | A text in UTF-8, whatever the encoding of the handle. What is not printable is escaped, but for
-- ends of lines.
--
-- @since 0.1.0.0
putText :: Handle -> String -> IO ()
putText h = B.hPut h . T.encodeUtf8 . T.pack . harmless

-- | A line of the result. What is not printable is escaped, and so are ends of lines.
--
-- @since 0.1.0.0
say :: Handles -> String -> IO ()
say hs s = putLines hs [T.pack (oneLine s)]

-- | A message in one line. What is not printable is escaped, and so are ends of lines: names in
-- untrusted files may have some, and look like messages of the tool.
--
-- @since 0.1.0.0
complain :: Handles -> String -> IO ()
complain hs s = do
  handleFlush hs
  putText (handleErr hs) ("ashlar: " ++ oneLine s ++ "\n")

-- | Escape what could steer a terminal, but for ends of lines.
--
-- @since 0.1.0.0
harmless :: String -> String
harmless = concatMap (\c -> if c == '\n' then [c] else oneLine [c])

-- | Escape what could steer a terminal, and ends of lines.
--
-- @since 0.1.0.0
oneLine :: String -> String
oneLine = concatMap (\c -> if isPrint c then [c] else showLitChar c "")

-- | A number of things.
--
-- @since 0.1.0.0
count :: Int64 -> String -> String
count n what = show n ++ " " ++ what ++ (if n == 1 then "" else "s")

-- | The colours that are used.
--
-- @since 0.1.0.0
data Colour = Red | Green | Yellow
  deriving stock (Eq, Show)

-- | Show a text in a colour.
--
-- @since 0.1.0.0
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
--
-- @since 0.1.0.0
data Progress = Progress Handles Int64 (IORef Int64)

-- | Show progress, given how much there is to do.
--
-- @since 0.1.0.0
withProgress :: Handles -> Int64 -> (Progress -> IO a) -> IO a
withProgress hs total act = do
  ref <- newIORef 0
  act (Progress hs total ref) `finally` do
    shown <- readIORef ref
    when (shown > 0) $ hPutStr (handleErr hs) "\r      \r" >> hFlush (handleErr hs)

-- | As much is done.
--
-- @since 0.1.0.0
progress :: Progress -> Int64 -> IO ()
progress (Progress hs total ref) done = when (handleProgress hs && total > 8388608) $ do
  shown <- readIORef ref
  let percent = done `div` max 1 (total `div` 100)
  when (percent > shown) $ do
    writeIORef ref percent
    hPutStr (handleErr hs) ("\r" ++ show (min 100 percent) ++ " %") >> hFlush (handleErr hs)

-- | Ends the tool with a message.
--
-- @since 0.1.0.0
data Failure = Failure ExitCode String
  deriving stock (Show)

instance Exception Failure

-- | What was asked for cannot be done.
--
-- @since 0.1.0.0
failed :: String -> IO a
failed = throwIO . Failure (ExitFailure 2)

-- | The input is damaged.
--
-- @since 0.1.0.0
damaged :: String -> IO a
damaged = throwIO . Failure (ExitFailure 1)

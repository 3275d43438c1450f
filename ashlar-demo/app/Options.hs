-- |
-- Module      : Options
-- Description : The command line
module Options
  ( Options (..),
    Command (..),
    parseOptions,
    usage,
  )
where

import Data.Foldable (foldl')
import System.Console.GetOpt
import Text.Read (readMaybe)

-- | The parameters of the measurement.
data Options = Options
  { optionFile :: FilePath,
    -- | How much to encode, in megabytes of Ashlar's format.
    optionMegabytes :: Int
  }

-- | What to do.
data Command = Measure Options | Help

-- | The command in these arguments, or what is wrong with them.
parseOptions :: [String] -> Either String Command
parseOptions args = case getOpt Permute descriptions args of
  (_, _, message : _) -> Left (takeWhile (/= '\n') message)
  (changes, files, []) -> foldl' (>>=) (withFile files) changes
  where
    withFile files = case files of
      [] -> Right (Measure (Options "/var/lib/dpkg/status" 300))
      [file] -> Right (Measure (Options file 300))
      _ -> Left "more than one FILE"

descriptions :: [OptDescr (Command -> Either String Command)]
descriptions =
  [ Option "m" ["megabytes"] (ReqArg setMegabytes "N") "encode about N * 10^6 bytes (default: 300)",
    Option "h" ["help"] (NoArg (const (Right Help))) "show this text"
  ]

setMegabytes :: String -> Command -> Either String Command
setMegabytes arg command = case readMaybe arg of
  -- Read as an Integer, so that large numbers do not wrap around.
  Just n | n >= 1 && n <= (1000000 :: Integer) -> Right (set (fromInteger n))
  _ -> Left ("--megabytes takes a number from 1 to 1000000, not " ++ show arg)
  where
    set n = case command of
      Measure options -> Measure options {optionMegabytes = n}
      Help -> Help

-- | The text for @--help@.
usage :: String
usage =
  usageInfo
    "Usage: ashlar-demo [OPTION...] [FILE]\n\n\
    \Reads the records of a Debian package database (default:\n\
    \/var/lib/dpkg/status), writes them many times over to a temporary file and\n\
    \reads them back, with ashlar, binary, cereal and store, and prints time and\n\
    \memory of each. The temporary files are in $TMPDIR, or else in /tmp.\n"
    descriptions

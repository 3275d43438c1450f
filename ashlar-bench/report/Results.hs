{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# OPTIONS_GHC -O0 #-}

-- |
-- Module      : Results
-- Description : What was measured, and its files
--
-- These files are small, and GHC would take half a minute to optimise their instances.
module Results
  ( Report (..),
    Result (..),
    Size (..),
    Picture (..),
    Library (..),
    Box (..),
    byFamily,
    readReports,
    writeReports,
    csv,
    together,
    readUtf8,
    writeUtf8,
  )
where

import Data.Aeson hiding (Result)
import qualified Data.ByteString.Lazy as L
import Data.Char (toLower)
import Data.List (intercalate, nub, nubBy)
import GHC.Generics (Generic)
import System.Directory (renameFile)
import System.IO

-- | All results of one program.
data Report = Report
  { -- | The compiler, and the optimisation of user code.
    reportName :: String,
    -- | The processor.
    reportMachine :: String,
    reportResults :: [Result]
  }
  deriving stock (Eq, Show, Generic)

-- | One workload.
data Result = Result
  { resultFamily :: String,
    resultName :: String,
    resultSize :: Size,
    resultPicture :: Picture,
    -- | The first is ours.
    resultLibraries :: [Library]
  }
  deriving stock (Eq, Show, Generic)

-- | How much work it is.
data Size
  = Unknown
  | -- | A number of values, for the time of one.
    Items Int
  | -- | A number of bytes, for the bytes in a second.
    Bytes Int
  deriving stock (Eq, Show, Generic)

-- | Where the report shows it.
data Picture
  = -- | As a row of the picture of its family.
    Row
  | -- | As a point of a curve, with the title of the curves and of their x axis.
    Curve String String Double
  | -- | The same, and as a group of boxes that show how the rounds differ.
    Boxes String String Double
  | -- | As a picture of its own, with a bar for each library.
    Bars
  deriving stock (Eq, Show, Generic)

-- | What one library took.
data Library = Library
  { libraryName :: String,
    -- | The least time of each run, in ns.
    libraryTimes :: [Double],
    -- | The median time of each run, in ns.
    libraryMedians :: [Double],
    -- | The bytes that Haskell allocates.
    libraryAllocated :: Maybe Double,
    -- | The most memory of a process that does the work once, in bytes.
    libraryPeak :: Maybe Double,
    -- | The bytes of the output.
    libraryOutput :: Maybe Int,
    -- | The bytes of the output after zlib.
    libraryZlib :: Maybe Int,
    -- | The rounds of all runs.
    libraryBox :: Maybe Box
  }
  deriving stock (Eq, Show, Generic)

-- | Five quantiles of times in ns.
data Box = Box
  { boxLeast :: Double,
    boxLower :: Double,
    boxMedian :: Double,
    boxUpper :: Double,
    boxGreatest :: Double
  }
  deriving stock (Eq, Show, Generic)

options :: String -> Options
options prefix =
  defaultOptions
    { fieldLabelModifier = lower . drop (length prefix),
      constructorTagModifier = lower,
      sumEncoding = TaggedObject "kind" "value",
      omitNothingFields = True
    }
  where
    lower name = map toLower (take 1 name) ++ drop 1 name

instance ToJSON Report where toJSON = genericToJSON (options "report")

instance FromJSON Report where parseJSON = genericParseJSON (options "report")

instance ToJSON Result where toJSON = genericToJSON (options "result")

instance FromJSON Result where parseJSON = genericParseJSON (options "result")

instance ToJSON Size where toJSON = genericToJSON (options "")

instance FromJSON Size where parseJSON = genericParseJSON (options "")

instance ToJSON Picture where toJSON = genericToJSON (options "")

instance FromJSON Picture where parseJSON = genericParseJSON (options "")

instance ToJSON Box where toJSON = genericToJSON (options "box")

instance FromJSON Box where parseJSON = genericParseJSON (options "box")

instance ToJSON Library where toJSON = genericToJSON (options "library")

instance FromJSON Library where parseJSON = genericParseJSON (options "library")

-- | The results by family, in the order of the first of each.
byFamily :: [Report] -> [(String, [[Result]])]
byFamily reports =
  [ (family, [filter ((== family) . resultFamily) (reportResults r) | r <- reports])
    | family <- nub (map resultFamily (concatMap reportResults reports))
  ]

-- | Read what 'writeReports' has written.
readReports :: FilePath -> IO [Report]
readReports path =
  eitherDecodeFileStrict path >>= either (\e -> ioError (userError (path ++ ": " ++ e))) pure

-- | Write reports to a file. Until it is complete, the file of that name stays as it is.
writeReports :: FilePath -> [Report] -> IO ()
writeReports path reports = do
  L.writeFile new (encode reports)
  renameFile new path
  where
    new = path ++ ".new"

-- | A line for each library of each workload.
csv :: [Report] -> String
csv reports = unlines (map (intercalate "," . map quoted) (header : concatMap ofReport reports))
  where
    header =
      ["compiler", "family", "workload", "library", "ns", "median ns", "runs"]
        ++ ["allocated", "peak", "output", "zlib"]
    ofReport r = concatMap (ofResult (reportName r)) (reportResults r)
    ofResult compiler x =
      [ [compiler, resultFamily x, resultName x, libraryName l]
          ++ [show (minimum (libraryTimes l)), show (minimum (libraryMedians l))]
          ++ [show (length (libraryTimes l))]
          ++ [maybe "" show (libraryAllocated l), maybe "" show (libraryPeak l)]
          ++ [maybe "" show (libraryOutput l), maybe "" show (libraryZlib l)]
        | l <- resultLibraries x
      ]
    quoted cell
      | any (`elem` ",\"\n\r") cell = "\"" ++ concatMap twice cell ++ "\""
      | otherwise = cell
    twice '"' = "\"\""
    twice c = [c]

-- | Reports of the same compiler, together. Where two have the same workload, the first counts.
together :: [Report] -> [Report]
together reports =
  [ first {reportResults = nubBy sameWork (concatMap reportResults group)}
    | group@(first : _) <- groups
  ]
  where
    groups = [filter ((== name) . reportName) reports | name <- nub (map reportName reports)]
    sameWork x y = (resultFamily x, resultName x) == (resultFamily y, resultName y)

-- | Write text in UTF-8, whatever the locale.
writeUtf8 :: FilePath -> String -> IO ()
writeUtf8 path s = withFile path WriteMode (\h -> hSetEncoding h utf8 >> hPutStr h s)

-- | Read text in UTF-8.
readUtf8 :: FilePath -> IO String
readUtf8 path =
  withFile path ReadMode $ \h -> do
    hSetEncoding h utf8
    s <- hGetContents h
    length s `seq` pure s
